import { Badge } from '../../ui/badge'

/** By the month or by the year, for a switch. @param saving what the page says of the year: 'Save 40%' (specification §9) */
export function cycleOptions(saving: string) {
  return [
    { value: 'monthly', label: 'Monthly' },
    {
      value: 'yearly',
      label: (
        <>
          Yearly <Badge tone="accent">{saving}</Badge>
        </>
      ),
    },
  ] as const
}
