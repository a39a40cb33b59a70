package doctor

import (
	"net"
	"runtime"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/machine"
)

// leastMemory is the memory needed to build a distributed program.
const leastMemory = 2 << 30

// machine looks at the processor and at memory.
func (d *examination) machine() {
	m := machine.Read()
	level := cpu.CurrentLevel().String()
	if level == "portable" {
		d.note("%s/%s: kernels are plain Go here, which is several times slower than with AVX2 or NEON", runtime.GOOS, runtime.GOARCH)
	} else {
		d.good("%s/%s, kernels for %s, %d threads", runtime.GOOS, runtime.GOARCH, level, m.Threads())
	}
	switch {
	case m.Memory == 0:
	case m.Memory < leastMemory:
		d.note("%d MiB of memory: builds may want %d; GOFLAGS=-p=1 needs least", m.Memory>>20, leastMemory>>20)
	default:
		d.good("%.1f GiB of memory", float64(m.Memory)/(1<<30))
	}
}

// usual is the default address of a model's server.
const usual = "127.0.0.1:8080"

// ports looks whether servers can listen.
func (d *examination) ports() {
	if err := listens("127.0.0.1:0"); err != nil {
		d.bad("nothing can listen on loopback: %v: \"bbgen run\" and servers need that", err)
		return
	}
	if err := listens(usual); err != nil {
		d.note("%s is taken: say -listen with another port to the server of a model", usual)
		return
	}
	d.good("servers can listen on loopback, %s is free", usual)
}

func listens(at string) error {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	return l.Close()
}
