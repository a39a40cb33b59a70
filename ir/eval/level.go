package eval

import (
	"sync"

	"github.com/bbgen/bbgen/runtime/cpu"
)

var level sync.Once

// portable makes every kernel call of this process take the portable form, unless
// [Native] was called first.
func portable() { level.Do(func() { cpu.SetLevel(cpu.Portable) }) }

// Native makes evaluation take the kernels of the machine that it runs on. It is for a
// process that evaluates to answer, where nothing is generated of the results, and
// must be called before anything is evaluated: the kernels are chosen once.
func Native() { level.Do(func() {}) }
