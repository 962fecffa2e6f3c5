// The import law of ARCHITECTURE.md, "One direction". Run by `npm run check`.

const tests = '(\\.(test|spec)\\.tsx?$|/test/|^e2e/|^bench/)'
const workspaces = (...names) => `^(${names.join('|')})/`

// In contract, server and web alike. An area imports itself and those before it.
const areas = ['identity', 'platform', 'waitlist', 'leads', 'outreach', 'overview']
const inAreas = (...names) => `^(contract/src|server/src/domains|web/app/features)/(${names.join('|')})/`

/** A domain's pure decisions. */
const rules = '^server/src/domains/[^/]+/[^/]+/rules[\\w-]*\\.ts$'

/** A rule that no file of `from` may import a file of `to`. */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    never(
      'contract-imports-nothing',
      'Every workspace imports the contract, so it imports none of them.',
      { path: '^contract/src/', pathNot: tests },
      { path: workspaces('server', 'web', 'extension', 'stand-ins', 'dev-env', 'tools', 'e2e', 'bench') },
    ),
    never(
      'contract-does-no-io',
      'The contract also runs in browsers.',
      { path: '^contract/src/', pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    ...areas
      .slice(0, -1)
      .map((area, index) =>
        never(
          `${area}-imports-no-later-area`,
          `The areas in order: ${areas.join(', ')}. Move what both need to the earlier area, or pass it in (ports.ts).`,
          { path: inAreas(area), pathNot: tests },
          { path: inAreas(...areas.slice(index + 1)) },
        ),
      ),
    never(
      'shared-contract-imports-no-area',
      'What every area uses is below all of them. Only contract.ts combines them.',
      { path: '^contract/src/[^/]+$', pathNot: `(^contract/src/contract\\.ts$|${tests})` },
      { path: inAreas(...areas) },
    ),
    never(
      'web-imports-only-the-contract',
      'The web app reaches the server over HTTP.',
      { path: workspaces('web', 'extension'), pathNot: tests },
      { path: workspaces('server', 'stand-ins', 'dev-env', 'tools', 'e2e', 'bench') },
    ),
    never('web-never-imports-extension', 'Each ships without the other.', { path: '^web/' }, { path: '^extension/' }),
    never('extension-never-imports-web', 'Each ships without the other.', { path: '^extension/' }, { path: '^web/' }),
    never(
      'server-imports-only-the-contract',
      'Product code knows base URLs and DATABASE_URL, never what answers there, and never the web.',
      { path: '^server/', pathNot: tests },
      { path: workspaces('web', 'extension', 'stand-ins', 'dev-env', 'tools', 'e2e', 'bench') },
    ),
    never(
      'stand-ins-never-import-the-product',
      'A stand-in that shares code with the product shares its mistakes.',
      { path: '^stand-ins/' },
      { path: workspaces('server', 'web', 'extension', 'dev-env', 'tools', 'e2e', 'bench') },
    ),
    never(
      'tools-never-import-dev-env',
      'dev-env builds and runs the product with tools. Tools start its scripts as processes.',
      { path: '^tools/' },
      { path: '^dev-env/' },
    ),
    never(
      'tables-come-first',
      'tables → rules → chapters → routes → api → app → main. Tables may reference tables.',
      { path: '^server/src/(domains/[^/]+/[^/]+/tables|core/tables/[^/]+)\\.ts$' },
      { path: '^server/src/', pathNot: '(/tables\\.ts$|^server/src/(core/tables/|db/(columns|reasons)\\.ts$))' },
    ),
    never(
      'rules-are-pure',
      'A rule depends only on its arguments: no database, no outside service, no clock.',
      { path: rules },
      {
        path: '(^server/src/(db|outside|edges|jobs)/|^server/src/(api|app|main|run|env)\\.ts$|^server/src/domains/(?!.*/(rules[\\w-]*|tables)\\.ts$))',
      },
    ),
    never(
      'rules-do-no-io',
      'A rule depends only on its arguments.',
      { path: rules },
      { path: '^(node:)?(fs|net|http|https|child_process|dns)(/|$)', dependencyTypes: ['core'] },
    ),
    never(
      'domains-never-import-their-callers',
      'Routes, jobs and edges call domains, never the reverse. What a domain needs from jobs is a port (ports.ts).',
      { path: '^server/src/domains/', pathNot: `(/routes\\.ts$|${tests})` },
      { path: '(^server/src/(edges|jobs)/|^server/src/(api|app|start|main|run|workers)\\.ts$|/routes\\.ts$)' },
    ),
    never(
      'routes-only-call-domains',
      'A route maps an operation to one call of a domain.',
      { path: '^server/src/domains/[^/]+/[^/]+/routes\\.ts$' },
      {
        path: '(^server/src/(edges|jobs|outside)/|^server/src/(api|app|main|run)\\.ts$|/tables\\.ts$|node_modules/(drizzle-orm|pg)/)',
      },
    ),
    never(
      'jobs-and-edges-call-domains',
      'Jobs and callbacks contain no business rules and no queries: they call the core and domains.',
      { path: '^server/src/(jobs|edges)/', pathNot: tests },
      { path: '^server/src/domains/.*/(emails|routes|rules|tables)\\.ts$' },
    ),
    never(
      'core-imports-no-domain',
      'domains → core → outside, db. What the core needs of a domain is connected at start (core/neighbors.ts).',
      { path: '^server/src/core/', pathNot: tests },
      {
        path: '^server/src/((edges|jobs)/|(api|app|connect-core|main|run|start|workers)\\.ts$|domains/(?!.*/tables\\.ts$))',
      },
    ),
    never(
      'outside-imports-no-domain',
      'A client of an outside service takes and returns plain values.',
      { path: '^server/src/outside/', pathNot: tests },
      { path: '^server/src/(core|domains|db|jobs|edges)/' },
    ),
    never(
      'ui-imports-no-feature',
      'A component in ui/ could be used in another product.',
      { path: '^web/app/ui/', pathNot: tests },
      { path: '^web/app/(features|pages|api|session)' },
    ),
    never(
      'pages-are-on-top',
      'Pages combine features. Nothing imports a page.',
      { path: '^web/app/(features|ui)/' },
      { path: '^web/app/pages/' },
    ),
    never(
      'no-product-code-from-tests',
      'Code that only tests need is not shipped.',
      { path: workspaces('contract', 'server', 'web', 'extension', 'stand-ins', 'dev-env'), pathNot: tests },
      { path: tests },
    ),
    {
      name: 'no-circles',
      comment: 'Merge two files that import each other, or extract a third. Type imports count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      comment: 'The file or its package is missing.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(virtual:|@fonts/|gi://|\\./\\+types/)' },
    },
    {
      name: 'dependencies-are-declared',
      comment: 'An undeclared package may disappear with the next install.',
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
