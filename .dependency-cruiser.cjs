// The import law of ARCHITECTURE.md, "One direction". Run by `npm run check`.

const tests = '(\\.(test|spec)\\.tsx?$|/test/|^e2e/|^bench/)'
const workspaces = (...names) => `^(${names.join('|')})/`

/** A rule that no file of `from` may import a file of `to`. */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    never(
      'contract-stands-alone',
      'The contract imports nothing of ours and does no I/O: everyone may import it.',
      { path: '^contract/src/', pathNot: tests },
      { path: workspaces('server', 'web', 'extension', 'stand-ins', 'tools', 'e2e', 'bench') },
    ),
    never(
      'contract-does-no-io',
      'The contract is read by browsers too.',
      { path: '^contract/src/', pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    never(
      'web-knows-the-contract-only',
      'The web reaches the server by HTTP.',
      { path: workspaces('web', 'extension'), pathNot: tests },
      { path: workspaces('server', 'stand-ins', 'tools', 'e2e', 'bench') },
    ),
    never('web-is-not-the-extension', 'Each ships without the other.', { path: '^web/' }, { path: '^extension/' }),
    never('extension-is-not-the-web', 'Each ships without the other.', { path: '^extension/' }, { path: '^web/' }),
    never(
      'server-knows-the-contract-only',
      'Product code knows base URLs, never the stand-ins, and never the web.',
      { path: '^server/', pathNot: tests },
      { path: workspaces('web', 'extension', 'stand-ins', 'tools', 'e2e', 'bench') },
    ),
    never(
      'stand-ins-know-nothing-of-the-product',
      'A stand-in that shared code with the product would share its mistakes.',
      { path: '^stand-ins/' },
      { path: workspaces('server', 'web', 'extension', 'tools', 'e2e', 'bench') },
    ),
    never(
      'tables-come-first',
      'tables → rules → service → routes → api → app → main. Tables refer to tables.',
      { path: '^server/src/domains/[^/]+/tables\\.ts$' },
      { path: '^server/src/', pathNot: '(/tables\\.ts$|^server/src/db/columns\\.ts$)' },
    ),
    never(
      'rules-are-pure',
      'A rule decides from its arguments: no database, no outside service, no clock of its own.',
      { path: '^server/src/domains/[^/]+/rules\\.ts$' },
      { path: '(^server/src/(db|outside|edges|jobs)/|^server/src/(api|app|main|env)\\.ts$|/(service|routes)\\.ts$)' },
    ),
    never(
      'rules-do-no-io',
      'A rule decides from its arguments.',
      { path: '^server/src/domains/[^/]+/rules\\.ts$' },
      { path: '^(node:)?(fs|net|http|https|child_process|dns)(/|$)', dependencyTypes: ['core'] },
    ),
    never(
      'services-do-not-look-up',
      'A service is called by routes, jobs and edges, and knows none of them.',
      { path: '^server/src/domains/', pathNot: `(/routes\\.ts$|${tests})` },
      { path: '(^server/src/edges/|^server/src/(api|app|main)\\.ts$|/routes\\.ts$)' },
    ),
    never(
      'routes-only-call-services',
      'Operation → service, nothing else.',
      { path: '^server/src/domains/[^/]+/routes\\.ts$' },
      {
        path: '(^server/src/(edges|jobs|outside)/|^server/src/(api|app|main)\\.ts$|/tables\\.ts$|node_modules/(drizzle-orm|pg)/)',
      },
    ),
    never(
      'domains-meet-at-their-services',
      "A domain calls another through its service.ts, or refers to its tables.ts; the rest is the domain's own.",
      { path: '^server/src/domains/([^/]+)/', pathNot: tests },
      { path: '^server/src/domains/[^/]+/', pathNot: '^server/src/domains/($1/|[^/]+/(service|tables)\\.ts$)' },
    ),
    never(
      'jobs-and-edges-call-services',
      'Scheduled work and callbacks decide nothing of their own.',
      { path: '^server/src/(jobs|edges)/', pathNot: tests },
      { path: '^server/src/domains/[^/]+/(routes|rules)\\.ts$' },
    ),
    never(
      'outside-knows-no-domain',
      'A client of an outside service takes values and gives values.',
      { path: '^server/src/outside/', pathNot: tests },
      { path: '^server/src/(domains|db|jobs|edges)/' },
    ),
    never(
      'features-are-above-ui',
      'A part in ui/ could ship in another product.',
      { path: '^web/app/ui/', pathNot: tests },
      { path: '^web/app/(features|pages|api|session)' },
    ),
    never(
      'pages-are-on-top',
      'Pages compose features; nothing imports a page.',
      { path: '^web/app/(features|ui)/' },
      { path: '^web/app/pages/' },
    ),
    never(
      'no-product-code-from-tests',
      'What only tests need is not shipped.',
      { path: workspaces('contract', 'server', 'web', 'extension', 'stand-ins'), pathNot: tests },
      { path: tests },
    ),
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one thing, or a third is missing. (Types alone may.)',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolved',
      comment: 'The file is missing, or its package is.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(virtual:|\\./\\+types/)' },
    },
    {
      name: 'dependencies-are-declared',
      comment: 'A package that only happens to be installed may be gone tomorrow.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(build|dist|\\.react-router|\\.output|\\.wxt)/' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
    skipAnalysisNotInRules: true,
  },
}
