/** Errors that the shop's handoff routes return to its page. @module */

/** Code of an error that the handoff routes return. */
export type HandoffProblemCode =
  | 'malformed_json'
  | 'body_incomplete'
  | 'origin_not_allowed'
  | 'not_found'
  | 'order_not_found'
  | 'method_not_allowed'
  | 'order_already_paid'
  | 'payment_in_progress'
  | 'payment_under_review'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'internal_error'
  | 'body_already_read'
  | 'payment_refused'
  | 'payment_unavailable'
