/** Entry of the hosted page: connects it, and then loads the form. @module */
import { PageSession } from './page-session.ts'

const session = new PageSession()
void import('./form.ts').then(({ showForm }) => showForm(session))
