package eval

import "github.com/bbgen/bbgen/runtime/cpu"

// constants are the named constants of package cpu that calls use.
var constants = map[string]int{
	"ActNone": int(cpu.ActNone),
	"ActRelu": int(cpu.ActRelu),
}
