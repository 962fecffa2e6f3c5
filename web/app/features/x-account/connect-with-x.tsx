import { useMutation } from '@tanstack/react-query'
import { api, errorText } from '../../api'
import { BrandIcon } from '../../ui/brand-icon'
import { Button, type ButtonProps } from '../../ui/button'
import { toast } from '../../ui/toast'

/** Leads to X's own page, where one allows the connection, and back to the Connect X tab. */
export function ConnectWithX({
  children = 'Connect with X',
  ...look
}: Pick<ButtonProps, 'variant' | 'size' | 'wide' | 'children' | 'className'>) {
  const authorize = useMutation(
    api.xAccount.authorize.mutationOptions({
      onSuccess: ({ url }) => location.assign(url),
      onError: (error) => toast.error(errorText(error, 'X is not answering. Please try again in a moment.')),
    }),
  )
  return (
    <Button
      {...look}
      icon={<BrandIcon brand="x" />}
      // It goes on while the browser is on its way.
      loading={authorize.isPending || authorize.isSuccess}
      onClick={() => authorize.mutate(undefined)}
    >
      {children}
    </Button>
  )
}
