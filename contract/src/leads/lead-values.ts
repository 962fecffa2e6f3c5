// This file imports no schemas, so that rules and screens can import it cheaply.

/** A lead's message state. `contacted` counts as sent, `failed_contact` as failed. */
export const LEAD_STANDINGS = ['not_sent', 'queued', 'sent', 'failed'] as const
export type LeadStanding = (typeof LEAD_STANDINGS)[number]

/** Statuses in the leads filter. A lead who has `replied` also matches one of the others. */
export const LEAD_FILTER_STATUSES = [...LEAD_STANDINGS, 'replied'] as const

/** Why a lead may be messaged under X's rules: they asked, wrote first, or are a customer. */
export const CONTACT_BASES = ['asked', 'wrote_first', 'customer', 'none'] as const
export type ContactBasis = (typeof CONTACT_BASES)[number]
