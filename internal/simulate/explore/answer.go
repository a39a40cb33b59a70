package explore

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// answer is a frame that only takes a value, which may remain in a file.
type answer struct {
	runtime.Frame
	p     *part
	x     values.Large[float64]
	whole tensor.Dense[float64]
}

func (f *answer) Run(*runtime.Engine, int) error { return nil }

func (f *answer) Fill(cut int, fill *wire.SlotFill) error {
	if err := f.p.take(f.Exec(), f.Sender(cut), fill); err != nil {
		return err
	}
	return values.TakeLarge(&f.x, fill, values.Open)
}

func (f *answer) Clear() {
	f.x.Reset()
	f.whole.Reset()
}

func (f *answer) AppendBinary(b []byte) ([]byte, error) {
	return values.KeepLarge(f.Keeper(), b, &f.x), nil
}

func (f *answer) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadLarge(f.Keeper(), r, &f.x)
	return r.End()
}
