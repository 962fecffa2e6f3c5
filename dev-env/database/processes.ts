import { readFileSync } from 'node:fs'
import { platform } from 'node:os'

/** Whether the process is running. Zombies don't count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return statOf(pid)?.state !== 'Z'
}

/** Returns the id of a process's parent; undefined if the system does not reveal it. */
export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent
}

/** Returns a process's start time in kernel clock ticks. Until a reboot, it is unique together with the process id. */
export function startOf(pid: number): string {
  return statOf(pid)?.start ?? '0'
}

// See proc_pid_stat(5). The name in parentheses may contain anything, so fields are counted from
// its end.
function statOf(pid: number): { state: string; parent: number; start: string } | undefined {
  if (platform() !== 'linux') return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', parent: Number(fields[1]), start: fields[19] ?? '0' }
  } catch {
    return undefined
  }
}
