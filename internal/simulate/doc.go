// Package simulate tests the engine and the compiler of distributed programs: its test draws programs, compiles
// them into one binary, and runs each of them under many schedules of faults, all in virtual time. The results
// must be those of a plain evaluator of the same program.
//
// Package parts has the components in the programs' slots. Package runner is the main package of the binary.
package simulate
