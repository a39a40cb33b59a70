package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// scale is the session of a stage that multiplies its input by its weight. The last stage computes the mean square of
// the differences from the targets. Its optimizer is gradient descent.
type scale struct {
	last     bool
	weight   []float32
	gradient []float32
	steps    []int64
	random   []int64
	in       [2]*tensor.Tensor
	out, dx  *tensor.Tensor
	drawn    []int64 // the positions of the random stream in forward and backward passes
	delay    func()
	fails    error
}

func (s *scale) SetInput(i int, v tensor.Value) error {
	s.in[i] = v.(*tensor.Tensor)
	return nil
}

// Forward computes the output.
func (s *scale) Forward() error {
	s.delay()
	s.drawn = append(s.drawn, s.random[0])
	x := tensor.Data[float32](s.in[0])
	y := make([]float32, len(x))
	for i := range x {
		y[i] = x[i] * s.weight[0]
	}
	s.out = tensor.Of(y, s.in[0].Shape...)
	return s.fails
}

// Gradients computes the gradients of the weight and of the input.
func (s *scale) Gradients() (loss float64, err error) {
	if err := s.Forward(); err != nil {
		return 0, err
	}
	x, y := tensor.Data[float32](s.in[0]), tensor.Data[float32](s.out)
	dy := tensor.Data[float32](s.in[1])
	if s.last {
		t := dy
		dy = make([]float32, len(t))
		for i := range t {
			d := y[i] - t[i]
			loss += float64(d) * float64(d) / float64(len(t))
			dy[i] = 2 * d / float32(len(t))
		}
	}
	dx := make([]float32, len(x))
	s.gradient[0] = 0
	for i := range x {
		dx[i] = dy[i] * s.weight[0]
		s.gradient[0] += dy[i] * x[i]
	}
	s.dx = tensor.Of(dx, s.in[0].Shape...)
	return loss, nil
}

func (s *scale) ApplyGradients(rate float64) error {
	s.weight[0] -= float32(rate) * s.gradient[0]
	s.steps[0]++
	return nil
}

func (s *scale) Eval() (float64, error) {
	at := s.random[0]
	loss, err := 0.0, s.Forward()
	if s.last && err == nil {
		loss, err = s.Gradients()
	}
	s.random[0] = at
	return loss, err
}

func (s *scale) Step(float64) (float64, error) { return 0, errors.New("the step is not in halves") }
func (s *scale) Output(int) tensor.Value       { return s.out }
func (s *scale) Gradient(int) tensor.Value     { return s.dx }
func (s *scale) ParameterGradients() []model.Variable {
	return []model.Variable{{Name: "w", Value: tensor.Of(s.gradient, 1)}}
}
func (s *scale) State() []model.Variable {
	return []model.Variable{
		{Name: "w", Kind: model.Weight, Value: tensor.Of(s.weight, 1)},
		{Name: "step", Kind: model.Private, Value: tensor.Of(s.steps)},
		{Name: "random", Kind: model.Private, Value: tensor.Of(s.random)},
	}
}

// named is a scale whose weight has the name of its stage.
type named struct {
	*scale
	name string
}

func (s *named) State() []model.Variable {
	list := s.scale.State()
	list[0].Name = s.name
	return list
}

// scales is a model of stages that multiply by 1.5, 1.25, 1.125 and so on.
type scales struct {
	Model
	sessions []*scale
	names    []string // of the weights
}

// newScales returns a model whose stages take random times from a seed.
func newScales(stages int, seed uint64) *scales {
	m := &scales{Model: Model{Name: "scales", Inputs: 1}}
	port := func(name string) []model.Port {
		return []model.Port{{Name: name, Type: "float32[batch,1]", Elem: tensor.Float32, Dims: []string{"batch", "1"}}}
	}
	for k := range stages {
		random := rand.New(rand.NewPCG(seed, uint64(k)))
		s := &scale{
			last: k == stages-1, weight: []float32{1 + 1/float32(int(2)<<k)}, gradient: make([]float32, 1), steps: make([]int64, 1), random: []int64{100},
			delay: func() {
				if seed > 0 {
					time.Sleep(time.Duration(random.IntN(500)) * time.Microsecond)
				}
			},
		}
		m.sessions = append(m.sessions, s)
		m.names = append(m.names, fmt.Sprint("w", k))
		p := model.TrainProgram{Name: fmt.Sprint("stage", k), Optimizer: "sgd", Random: "random", State: 64, Inputs: port("x"), Targets: port("y.grad"), Outputs: port("y"),
			New: func(uint64) (model.TrainSession, error) { return &named{s, m.names[k]}, nil }}
		part := Stage{Program: p}
		if k == 0 {
			part.Inputs = []int{0}
		}
		m.Stages = append(m.Stages, part)
	}
	return m
}

// run is the stages of a model as goroutines, with connections of their own.
type run struct {
	*leader
	followers []*follower
	errs      []error // with which they have ended
	stopped   chan struct{}
	wait      sync.WaitGroup
}

// start connects the stages of a model, and begins a training.
func start(t *testing.T, m *scales, micros int) *run {
	t.Helper()
	places := newPlaces(t, m)
	n := len(places)
	r := &run{followers: make([]*follower, n-1), errs: make([]error, n-1), stopped: make(chan struct{})}
	all := make([]*links, n)
	var connected sync.WaitGroup
	for k, p := range places {
		connected.Go(func() {
			l, transport, err := p.connect(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { transport.Close() })
			all[k] = l
		})
	}
	if connected.Wait(); t.Failed() {
		t.FailNow()
	}
	for k := range n - 1 {
		f := &follower{m: &m.Model, number: k, prev: all[k].prev, next: all[k].next, control: all[k].control}
		r.followers[k] = f
		r.wait.Go(func() {
			r.errs[k] = f.follow()
			f.close()
		})
	}
	r.leader = lead(&m.Model, micros, all[n-1].prev, all[n-1].others, sync.OnceFunc(func() { close(r.stopped) }))
	r.given = make([]*tensor.Tensor, 2)
	if err := r.begin(1); err != nil {
		t.Fatal(err)
	}
	return r
}

// newPlaces returns the places of a model's stages, with keys and ports of their own.
func newPlaces(t *testing.T, m *scales) (places []*place) {
	t.Helper()
	c := newCluster(t, len(m.Stages))
	for _, file := range c.keys {
		key, err := peer.ReadKey(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPlace(&m.Model, key, c.members)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	return places
}

// batch sets a batch of n examples, and targets that are three times as large.
func (r *run) batch(t *testing.T, n int) (x, y []float32) {
	t.Helper()
	for i := range n {
		x, y = append(x, float32(i+1)/float32(n)), append(y, 3*float32(i+1)/float32(n))
	}
	for i, v := range [][]float32{x, y} {
		if err := r.SetInput(i, tensor.Of(v, n, 1)); err != nil {
			t.Fatal(err)
		}
	}
	return x, y
}
