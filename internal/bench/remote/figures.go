package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// row is one figure.
type row struct {
	Figure string  `json:"figure"`
	Model  string  `json:"model,omitempty"`
	Value  float64 `json:"value"` // the median
	Best   float64 `json:"best"`
	Here   float64 `json:"here,omitempty"` // the median of the same in this process
	Unit   string  `json:"unit"`
	Bar    float64 `json:"bar"` // Value must not be above it
	Met    bool    `json:"met"`
}

// elementwise times one operation on 1,000 elements.
func (b *bench) elementwise(ctx context.Context) error {
	x := b.device.Register(tensor.New(tensor.Float32, 1000))
	defer x.Release()
	there, _, err := b.inTurn(func() error {
		y := b.device.Execute("Exp", nil, x)
		defer y.Release()
		_, err := y.Read(ctx)
		return err
	}, nil)
	if err != nil {
		return err
	}
	return b.add(&row{Figure: "an elementwise operation on 1,000 elements, with its result", Bar: 150}, there)
}

// model times a model there and here, with inputs of zeros.
func (b *bench) model(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	in, err := inputs(file)
	if err != nil {
		return err
	}
	local, err := exec.Decode(file, text, unlimited{})
	if err != nil {
		return err
	}
	g, err := b.device.Load(ctx, text)
	if err != nil {
		return err
	}
	defer g.Release()
	var args []*remote.Tensor
	for _, x := range in {
		args = append(args, b.device.Register(x))
	}
	defer remote.Release(args...)
	there, here, err := b.inTurn(func() error {
		y := g.Run(args...)
		defer remote.Release(y...)
		_, err := b.device.Read(ctx, y...)
		return err
	}, func() error {
		_, err := local.Run(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	r := &row{Figure: "a model by its id, with its results", Model: filepath.Base(file), Here: micros(median(here))}
	r.Bar = 1.1*r.Here + 100
	return b.add(r, there)
}

// inputs returns zeros for the inputs of a model. Sizes that vary are 1.
func inputs(file string) ([]*tensor.Tensor, error) {
	m, err := onnx.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var in []*tensor.Tensor
	for _, v := range m.Main.Body.Params {
		var shape []int
		for _, d := range v.Type.Shape {
			n, ok := d.Const()
			if !ok {
				n = 1
			}
			shape = append(shape, n)
		}
		in = append(in, tensor.New(v.Type.Elem, shape...))
	}
	return in, nil
}

// unlimited is memory without a limit.
type unlimited struct{}

func (unlimited) Take(int) error { return nil }
func (unlimited) Give(int)       {}

// inTurn times two calls, one round of each in turn, after a round to warm up. Here may be nil.
func (b *bench) inTurn(there, here func() error) (x, y []time.Duration, err error) {
	for round := range b.rounds + 1 {
		for list, call := range map[*[]time.Duration]func() error{&x: there, &y: here} {
			if call == nil {
				continue
			}
			times, err := b.timed(call)
			if err != nil {
				return nil, nil, err
			}
			if round > 0 {
				*list = append(*list, times...)
			}
		}
	}
	return x, y, nil
}

// timed times a call, at least once, for the duration of a round.
func (b *bench) timed(call func() error) (times []time.Duration, err error) {
	for begin := time.Now(); len(times) == 0 || time.Since(begin) < b.budget; {
		at := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(at))
	}
	return times, nil
}

// add writes a figure.
func (b *bench) add(r *row, times []time.Duration) error {
	r.Value, r.Unit = micros(median(times)), "µs"
	r.Best = micros(times[0])
	r.Met = r.Value <= r.Bar
	return b.out.Encode(r)
}

// median sorts times and returns the one in the middle.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
