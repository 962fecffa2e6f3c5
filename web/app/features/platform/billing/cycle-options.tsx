/** Options of the billing cycle switch. @param saving shown beside the yearly option: 'Save 40%' */
export function cycleOptions(saving: string) {
  return [
    { value: 'monthly', label: 'Monthly' },
    {
      value: 'yearly',
      label: (
        <>
          Yearly <span className="text-xs font-strong text-accent-word">{saving}</span>
        </>
      ),
    },
  ] as const
}
