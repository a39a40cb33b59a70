// Package parts contains the data of the peers of package counting.
package parts

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Words is the number of words of each client.
const Words = 4

// Data is what a peer has. It follows from its class and rank.
type Data struct {
	class string
	rank  int
}

// Open stores the class and the rank.
func (d *Data) Open(env runtime.Env) error {
	d.class, d.rank = env.Class, env.Rank
	return nil
}

// Values returns three values: rank r has 10r, 10r+1 and 10r+2. The argument says when.
func (d *Data) Values(tensor.Dense[float32]) (tensor.Dense[float32], error) {
	x := float32(10 * d.rank)
	return tensor.DenseOf([]float32{x, x + 1, x + 2}, 3), nil
}

// Words returns what a client has said: one word is common to all, one to those of even rank, and two to nobody else.
func (d *Data) Words() []string {
	return []string{"yes", []string{"ye", "maybe"}[d.rank%2], fmt.Sprint("yes ", d.rank), fmt.Sprint("secret ", d.rank)}
}

// Ids returns the persons that a peer knows: the clinic every second of 30, and the bank every third.
func (d *Data) Ids() (list []string) {
	step := map[string]int{"clinic": 2, "bank": 3}[d.class]
	for i := 0; i < 30; i += step {
		list = append(list, fmt.Sprint("person ", i))
	}
	return list
}

// AppendBinary appends nothing: there is no state.
func (d *Data) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (d *Data) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
