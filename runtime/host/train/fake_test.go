package train

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// linear is a hand-written training program: logits = x·w + b, two features, two classes, momentum, and noise
// on the features like dropout.
type linear struct {
	x, logits      []float32
	y              []int64
	w, b, mw, mb   []float32
	random         []uint64 // the state of the noise
	onStep, onEval func(n int) error
	steps, evals   int
	dw             [4]float32
	db             [2]float32
	averages       []float32
}

var errKilled = errors.New("killed")

// program returns the program whose sessions call onStep and onEval before each step and evaluation.
func program(onStep, onEval func(n int) error) model.TrainProgram {
	return model.TrainProgram{
		Name: "linear", Source: "linear.onnx", Loss: "cross_entropy", Optimizer: "momentum", Rate: 0.1, Accumulate: 1,
		Inputs:  []model.Port{{Name: "x", Type: "float32[batch,2]", Elem: tensor.Float32, Dims: []string{"batch", "2"}}},
		Targets: []model.Port{{Name: "label", Type: "int64[batch]", Elem: tensor.Int64, Dims: []string{"batch"}}},
		Outputs: []model.Port{{Name: "logits", Type: "float32[batch,2]", Elem: tensor.Float32, Dims: []string{"batch", "2"}}},
		New: func(seed uint64) (model.TrainSession, error) {
			return &linear{
				w: []float32{0.1, -0.1, 0.05, 0}, b: make([]float32, 2), mw: make([]float32, 4), mb: make([]float32, 2),
				random: []uint64{seed}, onStep: onStep, onEval: onEval, averages: make([]float32, 2),
			}, nil
		},
	}
}

func (l *linear) SetInput(i int, v tensor.Value) error {
	t := v.(*tensor.Tensor)
	if i == 0 {
		l.x = tensor.Data[float32](t)
	} else {
		l.y = tensor.Data[int64](t)
	}
	return nil
}

// loss also adds up the gradients.
func (l *linear) loss(noise func() float32) float64 {
	l.logits = l.logits[:0]
	l.dw, l.db = [4]float32{}, [2]float32{}
	sum, n := 0.0, float32(len(l.y))
	for i, y := range l.y {
		x := [2]float32{l.x[2*i] + noise(), l.x[2*i+1] + noise()}
		a := x[0]*l.w[0] + x[1]*l.w[2] + l.b[0]
		b := x[0]*l.w[1] + x[1]*l.w[3] + l.b[1]
		l.logits = append(l.logits, a, b)
		p := [2]float32{0, 1 / (1 + float32(math.Exp(float64(a-b))))}
		p[0] = 1 - p[1]
		sum -= math.Log(float64(p[y]))
		p[y]--
		for c := range 2 {
			l.db[c] += p[c] / n
			l.dw[c] += x[0] * p[c] / n
			l.dw[2+c] += x[1] * p[c] / n
		}
	}
	return sum / float64(n)
}

func (l *linear) Step(rate float64) (float64, error) {
	l.steps++
	if l.onStep != nil {
		if err := l.onStep(l.steps); err != nil {
			return 0, err
		}
	}
	r := rand.NewPCG(l.random[0], 1)
	l.random[0]++
	loss := l.loss(func() float32 { return float32(r.Uint64()>>40)/(1<<26) - 0.125 })
	update := func(w, m, d []float32) {
		for i := range w {
			m[i] = 0.9*m[i] + d[i]
			w[i] -= float32(rate) * m[i]
		}
	}
	update(l.w, l.mw, l.dw[:])
	update(l.b, l.mb, l.db[:])
	for i := range l.b {
		l.averages[i] = l.averages[i]*0.9 + l.b[i]*0.1
	}
	return loss, nil
}

func (l *linear) Eval() (float64, error) {
	l.evals++
	if l.onEval != nil {
		if err := l.onEval(l.evals); err != nil {
			return 0, err
		}
	}
	return l.loss(func() float32 { return 0 }), nil
}

func (l *linear) Output(int) tensor.Value { return tensor.Of(l.logits, len(l.logits)/2, 2) }

func (l *linear) State() []model.Variable {
	return []model.Variable{
		{Name: "w", Kind: model.Weight, Value: tensor.Of(l.w, 2, 2)},
		{Name: "b", Kind: model.Weight, Value: tensor.Of(l.b, 2)},
		{Name: "b.average", Kind: model.Average, Value: tensor.Of(l.averages, 2)},
		{Name: "w/momentum", Kind: model.Private, Value: tensor.Of(l.mw, 2, 2)},
		{Name: "b/momentum", Kind: model.Private, Value: tensor.Of(l.mb, 2)},
		{Name: "random", Kind: model.Private, Value: tensor.Of(l.random, 1)},
	}
}

// points returns n points of the plane, of class 1 above a line.
func points(n int) *dataset.Set {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := tensor.New(tensor.Float32, n, 2), tensor.New(tensor.Int64, n)
	for i := range n {
		a, b := r.Float32()*2-1, r.Float32()*2-1
		copy(tensor.Data[float32](x)[2*i:], []float32{a, b})
		if a+2*b > 0.2 {
			tensor.Data[int64](y)[i] = 1
		}
	}
	s, err := dataset.NewMemory(x, y, tensor.Float32, tensor.Int64)
	if err != nil {
		panic(err)
	}
	train, val := dataset.Split(s, 0.2, 1)
	return &dataset.Set{Train: train, Val: val, Names: []string{"below", "above"}}
}
