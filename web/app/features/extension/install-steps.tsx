import { CopyButton } from '../../ui/copy-button'

/** From the download to the first pairing. @param available is there one to download? */
export function InstallSteps({ available }: { available: boolean }) {
  if (!available)
    return (
      // Higher than it needs: what stands below comes up by less when it is known that there are no steps.
      <p className="min-h-28 text-muted">The extension was not built on this server, so there is none to download.</p>
    )
  return (
    <ol className="grid list-decimal gap-3 pl-5">
      <li>
        <a href="/extension.zip" download className="text-link">
          Download the extension
        </a>{' '}
        and unpack the file. Keep the folder: the browser runs the extension from there.
      </li>
      <li>
        <span className="flex flex-wrap items-center gap-2">
          Open <code className="rounded-sm bg-sunken px-1.5 font-mono text-sm">chrome://extensions</code>
          <CopyButton size="sm" text="chrome://extensions" label="Copy address" />
        </span>
      </li>
      <li>Switch on “Developer mode” at the top right.</li>
      <li>
        Press “Load unpacked” and choose the folder <span className="font-mono text-sm">x-automated-extension</span>.
      </li>
      <li>Come back to this page and press “Pair this browser”. Be signed in to X in the same browser.</li>
    </ol>
  )
}
