/** Entry of the hosted page: connects it, and then loads the form. @module */
import { PageSession } from './page-session.ts'

const session = new PageSession()
// The browser would load it with the first amount, which is too late for the first view.
void document.fonts.load('1em Dram', '֏')
void import('./form.ts').then(({ showForm }) => showForm(session))
