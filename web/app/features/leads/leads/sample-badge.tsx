import { Badge } from '../../../ui/badge'

/** Marks a lead of the sample data. */
export function SampleBadge() {
  return <Badge>Sample</Badge>
}
