package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// recurrent adds a recurrent layer.
func (d *drawer) recurrent() {
	x := d.exactly(3)
	width, hidden := need(sizes(x)[2]), one(d, 1, 3, 4, 8)
	name, gates := "LSTM", 4
	switch d.rng.IntN(3) {
	case 0:
		name, gates = "GRU", 3
	case 1:
		name, gates = "RNN", 1
	}
	direction := one(d, "forward", "forward", "reverse", "bidirectional")
	dirs := 1
	if direction == "bidirectional" {
		dirs = 2
	}
	in := []*ir.Value{x, d.constant(tensor.Float32, dirs, gates*hidden, width), d.constant(tensor.Float32, dirs, gates*hidden, hidden)}
	if d.chance(2) {
		in = append(in, d.constant(tensor.Float32, dirs, 2*gates*hidden))
	}
	a := attrs("hidden_size", hidden, "direction", direction)
	if name == "GRU" {
		a.Set("linear_before_reset", int64(d.rng.IntN(2)))
	}
	y := d.opN("", name, 1+d.rng.IntN(2), a, in...)[0]
	if dirs == 1 && d.chance(2) {
		d.op("Squeeze", y, d.ints(1))
	}
}
