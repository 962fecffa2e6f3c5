import type { InputOf } from '@x-automated/contract/contract'
import type { Provider } from '@x-automated/contract/outreach/writer'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { centsOf, dollarsOf } from '../../../dollars'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { useAction } from '../../../use-action'
import { KINDS } from './writer-text'

interface Values {
  kind: Provider['kind']
  baseUrl: string
  model: string
  apiKey: string
  /** Entered in dollars, like the budget. */
  inputCentsPerMillion: string
  outputCentsPerMillion: string
  budgetCents: string
  budgetTokens: string
}

interface ProviderFormProps {
  /** The workspace's own model, or null. */
  provider: Provider | null
  onDone: () => void
}

const MODEL_EXAMPLES: Record<Provider['kind'], string> = {
  openai_compatible: 'llama3.3',
  openai: 'gpt-5-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
}

/** The settings of a workspace's own model. */
export function ProviderForm({ provider, onDone }: ProviderFormProps) {
  const form = useForm<Values>({
    defaultValues: {
      kind: provider?.kind ?? 'openai_compatible',
      baseUrl: provider?.baseUrl ?? '',
      model: provider?.model ?? '',
      apiKey: '',
      inputCentsPerMillion: dollarsOf(provider?.inputCentsPerMillion ?? null),
      outputCentsPerMillion: dollarsOf(provider?.outputCentsPerMillion ?? null),
      budgetCents: dollarsOf(provider?.budgetCents ?? null),
      budgetTokens: provider?.budgetTokens?.toString() ?? '',
    },
  })
  const { errors } = form.formState
  const kind = form.watch('kind')
  const isCompatible = kind === 'openai_compatible'
  const save = useAction((input: InputOf<'writer', 'saveProvider'>) => client.writer.saveProvider(input), {
    done: 'Model saved. Test it before you use it.',
    onSuccess: onDone,
    onError: (error) => showProblems(form, error, errorText(error, 'Failed to save the model. Please try again.')),
    refetches: [api.writer],
  })
  const dollars = (name: 'inputCentsPerMillion' | 'outputCentsPerMillion' | 'budgetCents', label: string) => (
    <Field label={label} error={errors[name]?.message}>
      <Input
        inputMode="decimal"
        autoComplete="off"
        leading="$"
        {...form.register(name, {
          validate: (value) => centsOf(value) !== undefined || 'Enter an amount like 0.15, or leave it empty.',
        })}
      />
    </Field>
  )
  return (
    <Form name="model" className="max-w-xl" onSubmit={form.handleSubmit((values) => save.run(inputOf(values)))}>
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="Provider" error={errors.kind?.message}>
        <Select
          options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(event) => form.setValue('kind', event.currentTarget.value as Values['kind'])}
        />
      </Field>
      {isCompatible && (
        <Field
          label="Base URL"
          hint="Ends with the version, as in its documentation. Your own server works, too."
          error={errors.baseUrl?.message}
          required
        >
          <Input
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder="https://models.example.com/v1"
            {...form.register('baseUrl', {
              validate: (value, { kind: chosen }) =>
                chosen !== 'openai_compatible' || value.trim() !== '' || 'Base URL is required',
            })}
          />
        </Field>
      )}
      <Field label="Model" error={errors.model?.message} required>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder={MODEL_EXAMPLES[kind]}
          {...form.register('model', { validate: (value) => value.trim() !== '' || 'Model is required' })}
        />
      </Field>
      <Field
        label="API key"
        hint={
          provider?.keyEnding
            ? `Leave empty to keep the current key, which ends with ${provider.keyEnding}.`
            : 'Stored encrypted. Only its ending is shown again.'
        }
        error={errors.apiKey?.message}
        required={!isCompatible && !provider}
      >
        <PasswordInput autoComplete="off" {...form.register('apiKey')} />
      </Field>
      <fieldset className="grid gap-3">
        <legend className="mb-1.5 font-strong">Price per million tokens</legend>
        <p className="text-muted">
          Leave both empty if we know the model's price. Without one, only tokens are limited.
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          {dollars('inputCentsPerMillion', 'Input')}
          {dollars('outputCentsPerMillion', 'Output')}
        </div>
      </fieldset>
      <fieldset className="grid gap-3">
        <legend className="mb-1.5 font-strong">Monthly budget</legend>
        <p className="text-muted">Leave a field empty for no limit.</p>
        <div className="grid gap-4 sm:grid-cols-2">
          {dollars('budgetCents', 'Cost')}
          <Field label="Tokens" error={errors.budgetTokens?.message}>
            <Input
              inputMode="numeric"
              autoComplete="off"
              {...form.register('budgetTokens', {
                validate: (value) => /^\d{0,12}$/.test(value.trim()) || 'Enter a whole number, or leave it empty.',
              })}
            />
          </Field>
        </div>
      </fieldset>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save model
        </Button>
        <Button type="reset" disabled={save.isPending} onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}

/** The fields in the format of a request. */
function inputOf(values: Values): InputOf<'writer', 'saveProvider'> {
  const { kind, model } = values
  const budget = centsOf(values.budgetCents) ?? null
  return {
    kind,
    model: model.trim(),
    ...(kind === 'openai_compatible' ? { baseUrl: values.baseUrl.trim() } : {}),
    ...(values.apiKey ? { apiKey: values.apiKey } : {}),
    inputCentsPerMillion: centsOf(values.inputCentsPerMillion) ?? null,
    outputCentsPerMillion: centsOf(values.outputCentsPerMillion) ?? null,
    budgetCents: budget === null ? null : Math.round(budget),
    budgetTokens: values.budgetTokens.trim() === '' ? null : Number(values.budgetTokens),
  }
}
