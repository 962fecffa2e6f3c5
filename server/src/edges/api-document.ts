import type { AnyContractProcedure } from '@orpc/contract'
import { type OpenAPI, OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { contract } from '@x-automated/contract/contract'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import type { OperationMeta, Scope } from '@x-automated/contract/route'
import { edgeOperations, errorBody, scopeNote, securityOf } from './openapi.ts'

/** The OpenAPI document of every operation, as JSON. */
export async function describeApi(): Promise<string> {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] })
  const document = await generator.generate(contract, {
    info: {
      title: 'X-Automated API',
      version: RELEASE,
      description:
        'Requests and responses are JSON. Authenticated calls send `Authorization: Bearer <token>`: an API key, or the access token of a session. ' +
        'Errors have the body `{ "success": false, "code", "error", "details"? }`. Calls that change data accept an `Idempotency-Key` header.',
    },
    servers: [{ url: '/api' }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a session.' },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, created in Settings → API and sign-on on the Agency plan. It has the role of a member and 600 calls a minute.',
        },
      },
    },
    customErrorResponseBodySchema: (errors) => errorBody(errors.map(([code]) => code)),
  })
  for (const { path, method, isPublic, scope } of contractOperations()) {
    const operation = document.paths?.[path]?.[method as 'get']
    if (!operation) continue
    operation.security = securityOf(isPublic, scope)
    operation.parameters = operation.parameters?.map(asText)
    if (scope) operation.description = [operation.description, scopeNote(scope)].filter(Boolean).join('\n\n')
  }
  for (const [path, operations] of Object.entries(edgeOperations))
    document.paths = { ...document.paths, [path]: { ...document.paths?.[path], ...operations } }
  return JSON.stringify(document)
}

/** Describes nested values of a query as JSON, because no style of OpenAPI can express them. */
function asText(parameter: OpenAPI.ParameterObject | OpenAPI.ReferenceObject) {
  if (!('in' in parameter) || parameter.in !== 'query' || parameter.style !== 'deepObject') return parameter
  const { style: _, explode: __, schema, ...rest } = parameter
  return {
    ...rest,
    schema: { type: 'string' as const, contentMediaType: 'application/json', contentSchema: schema } as never,
  }
}

/** Every operation of the contract, with path and method as the document spells them, and the scope for API keys. */
function contractOperations(): { path: string; method: string; isPublic: boolean; scope: Scope | null }[] {
  const procedures = Object.values(contract).flatMap((domain) =>
    Object.values(domain as Record<string, AnyContractProcedure>),
  )
  return procedures
    .map((procedure) => procedure['~orpc'])
    .map(({ route, meta }) => ({
      path: route.path ?? '',
      method: (route.method ?? '').toLowerCase(),
      isPublic: (meta as OperationMeta).access === 'public',
      scope: (meta as OperationMeta).scope,
    }))
}
