import { formatNumber } from '@x-automated/contract/format'
import { Inbox, Pencil, Plus, Trash2, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { pageMeta } from '../features/overview/shell/page-meta'
import { Avatar } from '../ui/avatar'
import { Badge, StatusBadge, statusLooks, type Tone } from '../ui/badge'
import { Button, ButtonLink, type ButtonVariant, IconButton } from '../ui/button'
import { Callout } from '../ui/callout'
import { Card } from '../ui/card'
import { ChipsInput } from '../ui/chips-input'
import { Checkbox, RadioGroup, Switch } from '../ui/choice'
import { Combobox } from '../ui/combobox'
import { useConfirm } from '../ui/confirm'
import { CopyButton } from '../ui/copy-button'
import { Dialog, Sheet } from '../ui/dialog'
import { EmptyState } from '../ui/empty-state'
import { Field } from '../ui/field'
import { Input, PasswordInput, Textarea } from '../ui/input'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../ui/menu'
import { NumberInput } from '../ui/number-input'
import { PageHeader } from '../ui/page-header'
import { Pager } from '../ui/pager'
import { Progress } from '../ui/progress'
import { Segments } from '../ui/segments'
import { Select } from '../ui/select'
import { Skeleton, SkeletonButton, SkeletonField, SkeletonLine, SkeletonText } from '../ui/skeleton'
import { Slider } from '../ui/slider'
import { StatCard } from '../ui/stat-card'
import { Table, Td, Tr } from '../ui/table'
import { Tabs, useTabParam } from '../ui/tabs'
import { toast } from '../ui/toast'
import { Tooltip } from '../ui/tooltip'

export const meta = () => pageMeta('Components', 'Every UI component in every state.')

/** All UI components, in development only. */
export default function Components() {
  return (
    <div className="page-width grid gap-14 py-10">
      <PageHeader
        title="Components"
        description="Every UI component in every state. tokens.css defines the look."
        actions={<CopyButton text="app/ui" label="Copy folder" />}
      />
      {Object.entries({ Text, Buttons, Fields, Choices, Statuses, Overlays, Tables, Numbers, Messages }).map(
        ([title, Examples]) => (
          <section key={title} className="grid min-w-0 gap-5">
            <h2 className="border-b border-line pb-2 text-lg">{title}</h2>
            <Examples />
          </section>
        ),
      )}
    </div>
  )
}

function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>
}

const texts = ['text-4xl', 'text-2xl', 'text-base', 'text-sm', 'text-muted', 'text-faint', 'text-link']
const backgrounds = ['canvas', 'surface', 'raised', 'sunken', 'accent', 'accent-soft', 'accent-line', 'ink']

function Text() {
  return (
    <>
      {texts.map((className) => (
        <p key={className} className={className}>
          {className}: 1,284 leads matched
        </p>
      ))}
      <Row>
        {backgrounds.map((name) => (
          <span key={name} className="grid w-24 gap-1.5 text-xs text-muted">
            <span className="h-12 rounded-lg border border-line" style={{ background: `var(--color-${name})` }} />
            {name}
          </span>
        ))}
      </Row>
    </>
  )
}

const variants: ButtonVariant[] = ['primary', 'secondary', 'ghost', 'danger']

function Buttons() {
  return (
    <>
      {variants.map((variant) => (
        <Row key={variant}>
          {(['sm', 'md', 'lg'] as const).map((size) => (
            <Button key={size} variant={variant} size={size} icon={<Plus aria-hidden />}>
              Create list
            </Button>
          ))}
          <Button variant={variant} loading>
            Saving…
          </Button>
          <Button variant={variant} disabled>
            Disabled
          </Button>
          <Tooltip text="Icon only: the tooltip says what it does">
            <IconButton icon={<Pencil />} label={`Edit (${variant})`} variant={variant} />
          </Tooltip>
        </Row>
      ))}
      <ButtonLink to="/ui" className="w-fit">
        A link
      </ButtonLink>
    </>
  )
}

const options = ['Founders in Berlin', 'Designers', 'Investors'].map((label) => ({ value: label, label }))

function Fields() {
  const [chosen, setChosen] = useState<string | null>('Designers')
  const [keywords, setKeywords] = useState(['founder', 'saas'])
  const [count, setCount] = useState<number | null>(1_000)
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
      <Field label="Name" hint="Shown wherever this list appears.">
        <Input placeholder="Founders in Berlin" />
      </Field>
      <Field label="Email" error="Invalid email format" required>
        <Input type="email" defaultValue="ada@" />
      </Field>
      <Field label="Amount" aside="Of 1,000">
        <Input leading="@" defaultValue="400" trailing="leads" />
      </Field>
      <Field label="Password">
        <PasswordInput defaultValue="correct horse" autoComplete="off" />
      </Field>
      <Field label="Disabled">
        <Input defaultValue="Nothing to change here" disabled />
      </Field>
      <Field label="Daily cap">
        <NumberInput value={count} onChange={setCount} />
      </Field>
      <Field label="Lead list">
        <Select defaultValue="" placeholder="Choose a list" options={options} />
      </Field>
      <Field label="Select with an error" error="Choose a list first.">
        <Select defaultValue="" placeholder="Choose a list" options={[]} />
      </Field>
      <Field label="Combobox">
        <Combobox options={options} value={chosen} onChange={setChosen} />
      </Field>
      <Field label="Message" hint="Variables such as {first_name} are filled for each lead.">
        <Textarea defaultValue="Hi {first_name}" />
      </Field>
      <Field label="Message with an error" error="Unknown variable: {first_nmae}.">
        <Textarea defaultValue="Hi {first_nmae}" />
      </Field>
      <Field label="Bio keywords">
        <ChipsInput values={keywords} onChange={setKeywords} noun="keyword" empty="Will match all profiles." />
      </Field>
    </div>
  )
}

function Choices() {
  const [pace, setPace] = useState('steady')
  const [followers, setFollowers] = useState(10_000)
  const paces = [
    { value: 'steady', label: 'Steady', hint: 'One a minute.' },
    { value: 'slow', label: 'Slow' },
    { value: 'never', label: 'Never' },
  ]
  return (
    <div className="grid gap-8 sm:grid-cols-2 lg:grid-cols-4">
      <div className="grid content-start gap-3">
        <Checkbox label="Unchecked" />
        <Checkbox label="Checked" defaultChecked hint="With a second line." />
        <Checkbox label="Some selected" indeterminate />
        <Checkbox label="Disabled" disabled defaultChecked />
      </div>
      <div className="grid content-start gap-3">
        <Switch label="On" defaultChecked />
        <Switch label="Off" />
        <Switch label="Disabled" disabled />
      </div>
      <RadioGroup label="Pace" value={pace} onChange={setPace} options={paces} />
      <div className="grid content-start gap-4">
        <Segments label="Pace" value={pace} onChange={setPace} options={paces.slice(0, 2)} />
        <Slider label="Max followers" value={followers} onChange={setFollowers} min={0} max={1_000_000} step={1000} />
      </div>
    </div>
  )
}

const tones: Tone[] = ['neutral', 'accent', 'info', 'good', 'warn', 'bad']

function Statuses() {
  return (
    <>
      <Row>
        {[...Object.keys(statusLooks), 'unheard_of'].map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </Row>
      <Row>
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Row>
      <Row>
        <Avatar name="ada@lovelace.example" size="sm" />
        <Avatar name="Grace Hopper" letters={2} />
        <Avatar name="Broken" src="/no-such-picture.png" />
        <Avatar name="Large" size="lg" />
      </Row>
    </>
  )
}

function Overlays() {
  const [open, setOpen] = useState<'dialog' | 'sheet' | null>(null)
  const close = () => setOpen(null)
  const confirm = useConfirm()
  const ask = async () => {
    const yes = await confirm({ title: 'Delete this list?', body: 'Its leads stay.', confirm: 'Delete', danger: true })
    toast.info(yes ? 'You said yes.' : 'You said no.')
  }
  return (
    <Row>
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>
      <Button onClick={() => setOpen('sheet')}>Sheet</Button>
      <Button onClick={ask}>Confirm</Button>
      <Menu trigger={<Button>Menu</Button>} align="start">
        <MenuNote>ada@lovelace.example</MenuNote>
        <MenuSeparator />
        <MenuLink to="/ui">A link</MenuLink>
        <MenuItem disabled onSelect={() => {}}>
          Not now
        </MenuItem>
        <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={ask}>
          Delete
        </MenuItem>
      </Menu>
      {(['success', 'error', 'info'] as const).map((kind) => (
        <Button key={kind} onClick={() => toast[kind](`A toast: ${kind}`, { action: { label: 'Undo', onClick: ask } })}>
          Toast: {kind}
        </Button>
      ))}
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="Create a list"
        description="Lists group the leads that get the same message."
        footer={<Button onClick={close}>Cancel</Button>}
      >
        <Field label="Name" required>
          <Input />
        </Field>
      </Dialog>
      <Sheet open={open === 'sheet'} onClose={close} title="Maya Okafor" description="@mayabuilds">
        <SkeletonText lines={6} />
      </Sheet>
    </Row>
  )
}

const leads = [
  { name: 'Maya Okafor', followers: 12_480, status: 'replied', bio: 'Building tools for small teams' },
  { name: 'Priya Raman', followers: 88_102, status: 'failed', bio: 'Shipping every week since 2019' },
  { name: 'مريم الحداد', followers: 640, status: 'queued', bio: 'مصممة منتجات' },
]
const columns = ['Lead', 'Bio', { name: 'Followers', end: true }, 'Status'] as const

function Tables() {
  const [page, setPage] = useState(5)
  const [tab, setTab] = useTabParam(['cards', 'scroll', 'loading'])
  const rows = leads.map(({ name, bio, followers, status }, index) => (
    <Tr key={name} selected={index === 1}>
      <Td>
        <bdi className="font-strong">{name}</bdi>
      </Td>
      <Td label="Bio" className="text-muted">
        <bdi>{bio}</bdi>
      </Td>
      <Td label="Followers" end>
        {formatNumber(followers)}
      </Td>
      <Td label="Status">
        <StatusBadge status={status} />
      </Td>
    </Tr>
  ))
  const tabs = ['cards', 'scroll', 'loading'].map((value) => ({ value, label: value }))
  return (
    <div className="grid min-w-0 gap-6">
      <Tabs label="Tables" value={tab} onChange={setTab} tabs={tabs} />
      <Table label="Leads" columns={columns} narrow={tab === 'scroll' ? 'scroll' : 'cards'}>
        {tab === 'loading' ? undefined : rows}
      </Table>
      <Pager page={page} pageSize={10} query={{ data: { total: 1284 }, isFetching: false }} onChange={setPage} />
    </div>
  )
}

function Numbers() {
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        <StatCard label="Total leads" value={12_480} icon={<Users aria-hidden />} />
        <StatCard label="Messages sent" value={327} hint="+12 today" />
        <StatCard label="Reply rate" value={null} hint="Not measured yet" />
        <StatCard label="Replies" value={undefined} />
      </dl>
      <Progress label="Scraping followers" value={340} max={1000} detail="340 of 1,000 · about 2 min left" />
      <Progress label="Waiting for X" value={null} detail="Resumes at 14:05" />
      <Card title="A card" description="A part of a page with its own heading." actions={<Button>Action</Button>}>
        <div className="grid max-w-sm gap-3">
          <Skeleton className="h-4 w-40" />
          <SkeletonText />
          <SkeletonLine />
          <SkeletonField />
          <SkeletonButton />
        </div>
      </Card>
    </>
  )
}

function Messages() {
  return (
    <>
      <Callout>Campaigns send one message a minute.</Callout>
      <Callout tone="good" title="Email confirmed">
        You can log in now.
      </Callout>
      <Callout tone="warn" title="Paused automatically" action={<Button size="sm">Resume</Button>}>
        X asked us to slow down. Sending resumes at 14:05.
      </Callout>
      <Callout tone="bad">Failed to fetch lists. Please try again.</Callout>
      <EmptyState icon={<Inbox aria-hidden />} title="No lists found." action={<Button>Create List</Button>}>
        Lists group the leads that get the same message.
      </EmptyState>
    </>
  )
}
