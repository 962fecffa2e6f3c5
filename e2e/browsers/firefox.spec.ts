import { describeEveryPage } from './every-page.ts'
import { openFirefox } from './firefox.ts'

describeEveryPage('Firefox', openFirefox)
