package robust

import (
	"github.com/bbgen/bbgen/runtime"
)

// AppendBinary appends the shape of the model, if it is known, and the contributions so
// far.
func (c *Contributions) AppendBinary(b []byte) ([]byte, error) {
	b = c.known.Append(b)
	b = runtime.AppendScalar(b, int64(len(c.rounds)))
	for _, r := range c.rounds {
		b, _ = r.of.AppendBinary(b)
		b = runtime.AppendScalar(b, int64(len(r.list)))
		for _, one := range r.list {
			b = runtime.AppendScalar(runtime.AppendPeer(b, one.from), one.weight)
			b = runtime.AppendDense(b, one.x)
		}
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Contributions) UnmarshalBinary(b []byte) error {
	var rounds int64
	var read Contributions
	f := runtime.NewFields(b)
	read.known.Read(f, len(b))
	runtime.ReadScalar(f, &rounds)
	for range min(rounds, int64(len(b))) {
		read.rounds = append(read.rounds, readRound(f, len(b)))
	}
	if err := f.End(); err != nil {
		return err
	}
	for len(c.rounds) > 0 {
		c.forget(c.rounds[0].of)
	}
	c.known, c.rounds = read.known, read.rounds
	return nil
}

// readRound reads a round from a state of size bytes.
func readRound(f *runtime.Fields, size int) *round {
	var n int64
	r := &round{}
	runtime.ReadRound(f, &r.of)
	runtime.ReadScalar(f, &n)
	for range min(n, int64(size)) {
		var one contribution
		f.Peer(&one.from)
		runtime.ReadScalar(f, &one.weight)
		runtime.ReadDense(f, &one.x)
		r.list = append(r.list, one)
	}
	return r
}
