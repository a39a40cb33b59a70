// Package randomprogram draws programs for several classes of peers and checks what the compiler makes of them.
//
// A [Program] is a list of steps, each recorded on one class: words of package dsl (messages, gathers, rounds, branches,
// timers, components, collectives, state), or any method of it with any arguments. [Draw] adds steps as long as the
// program compiles. A step that does not must be refused with the author's line.
//
// [Check] compares two ways to run a program: cut by package partitioner and played in many orders of events, and
// evaluated as one graph that nobody has cut, where each value is a function of the values that it reads
// ([evaluator]). [Minimize] removes steps from a program that fails.
package randomprogram
