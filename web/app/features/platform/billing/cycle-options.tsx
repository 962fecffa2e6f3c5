/** Options of the billing cycle switch. @param saving such as 'Save 40%', displayed next to the yearly option */
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
