// Package optest tests a family of operators, a package below ir/op, with the files in its folder testdata:
//
//	forward/*.txt   the results of operators (package forward)
//	bodies.txtar    modules for operators with bodies
//	gradients.txt   the gradients of operators (package gradcheck)
//	refused.txt     cases that do not compile, with their errors
//
// It also checks the family's rows. The whole test of a family is a call of [Family].
package optest
