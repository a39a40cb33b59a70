package eval

import (
	"sync"

	"github.com/bbgen/bbgen/runtime/cpu"
)

var level sync.Once

// portable selects portable kernels for the process, unless [Native] was called first.
func portable() { level.Do(func() { cpu.SetLevel(cpu.Portable) }) }

// Native selects the kernels of the current machine for evaluation. It is for processes that do not generate
// code from results, and must be called before any evaluation, as the kernels are chosen once.
func Native() { level.Do(func() {}) }
