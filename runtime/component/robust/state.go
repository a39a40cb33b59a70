package robust

import (
	"cmp"

	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/component/internal/shape"
	"github.com/bbgen/bbgen/runtime/values"
)

// AppendBinary appends the shape of the model, if it is known, and the contributions so
// far.
func (c *Contributions) AppendBinary(b []byte) ([]byte, error) {
	return c.lists.Append(c.known.Append(b), func(b []byte, list *[]contribution) []byte {
		b = values.AppendScalar(b, int64(len(*list)))
		for _, one := range *list {
			b = values.AppendScalar(values.AppendPeer(b, one.from), one.weight)
			b = values.AppendDense(b, one.x)
		}
		return b
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Contributions) UnmarshalBinary(b []byte) error {
	var known shape.Known
	var read byround.Values[[]contribution]
	f := values.NewFields(b)
	known.Read(f, len(b))
	err := read.Read(f, readList)
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	c.known = known
	release(c.lists.Replace(read))
	return nil
}

// readList reads the contributions of an execution.
func readList(f *values.Fields, list *[]contribution) error {
	var n int64
	values.ReadScalar(f, &n)
	for i := int64(0); i < n && f.Err() == nil; i++ {
		var one contribution
		f.Peer(&one.from)
		values.ReadScalar(f, &one.weight)
		values.ReadDense(f, &one.x)
		*list = append(*list, one)
	}
	return nil
}
