package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// halves is a linear with a split step and without random numbers.
type halves struct {
	*linear
	mean *tensor.Tensor   // of the first feature in a batch: a statistic
	kept [2][]model.Shard // by weight: of which elements the state of the optimizer is kept
}

func (h *halves) Keep(weight int, shards ...model.Shard) {
	shards = model.Shards(shards)
	was := h.kept[weight]
	h.kept[weight] = shards
	if weight == 0 {
		h.mw = model.OptimizerState(h.mw, was, shards, nil)
	} else {
		h.mb = model.OptimizerState(h.mb, was, shards, nil)
		h.averages = model.OptimizerState(h.averages, was, shards, nil)
	}
}

func (h *halves) Divisible(int) bool { return true }

func (h *halves) Gradients() (float64, error) {
	h.steps++
	if h.onStep != nil {
		if err := h.onStep(h.steps); err != nil {
			return 0, err
		}
	}
	m := tensor.Data[float32](h.mean)
	sum := float32(0)
	for i := range h.y {
		sum += h.x[2*i]
	}
	m[0] = 0.9*m[0] + 0.1*sum/float32(len(h.y))
	return h.loss(func() float32 { return 0 }), nil
}

func (h *halves) ParameterGradients() []model.Variable {
	return []model.Variable{{Name: "w", Value: tensor.Of(h.dw[:], 2, 2)}, {Name: "b", Value: tensor.Of(h.db[:], 2)}}
}

func (h *halves) ApplyGradients(rate float64) error {
	for _, s := range h.kept[0] {
		for k := range s.Len() {
			m, i := &h.mw[s.At+k], s.From+k
			*m = 0.9**m + h.dw[i]
			h.w[i] -= float32(rate) * *m
		}
	}
	for _, s := range h.kept[1] {
		for k := range s.Len() {
			m, a, i := &h.mb[s.At+k], &h.averages[s.At+k], s.From+k
			*m = 0.9**m + h.db[i]
			h.b[i] -= float32(rate) * *m
			*a = *a*0.9 + h.b[i]*0.1
		}
	}
	return nil
}

func (h *halves) Step(rate float64) (float64, error) {
	loss, err := h.Gradients()
	if err != nil {
		return 0, err
	}
	return loss, h.ApplyGradients(rate)
}

func (h *halves) State() []model.Variable {
	return []model.Variable{
		{Name: "w", Kind: model.Weight, Value: tensor.Of(h.w, 2, 2)},
		{Name: "b", Kind: model.Weight, Value: tensor.Of(h.b, 2)},
		{Name: "b.average", Kind: model.Average, Of: "b", Value: model.IfKept(h.averages, 2)},
		{Name: "w/momentum", Kind: model.Private, Of: "w", Value: model.IfKept(h.mw, 2, 2)},
		{Name: "b/momentum", Kind: model.Private, Of: "b", Value: model.IfKept(h.mb, 2)},
		{Name: "random", Kind: model.Private, Value: tensor.Of(h.random, 1)},
		{Name: "mean", Kind: model.Buffer, Value: h.mean},
	}
}

// split returns the program of halves.
func split(onStep func(n int) error) model.TrainProgram {
	p := program(onStep, nil)
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		return &halves{linear: s.(*linear), mean: tensor.Of([]float32{0}, 1), kept: [2][]model.Shard{{{To: 4}}, {{To: 2}}}}, err
	}
	return p
}

// circle is a group in one process. Sums wait for all members.
type circle struct {
	mu    sync.Mutex
	cond  *sync.Cond
	there []bool
	sums  map[int]*sum // by lane; -1: of numbers; -2: gathers

	losses map[lane][]float32
	entrance
}

func newCircle(n int) *circle {
	c := &circle{there: make([]bool, n), sums: map[int]*sum{}, losses: map[lane][]float32{},
		entrance: entrance{waiting: make([]Shared, n), joined: make([]bool, n)}}
	for i := range c.there {
		c.there[i] = true
	}
	c.cond = sync.NewCond(&c.mu)
	return c
}

// one is a peer of a circle.
type one struct {
	*circle
	rank int
}

func (o one) Rank() int { return o.rank }
func (o one) Size() int { return len(o.there) }

// sum is a sum in progress.
type sum struct {
	given [][]float32                      // by rank; nil: not yet
	took  int                              // the number of peers that have read it
	sum   []float32                        // nil: not complete
	join  func(sum, x []float32) []float32 // adds a contribution
}

func (o one) Sum(x []float32) error { return o.sumOn(-1, x) }

func (o one) sumOn(lane int, x []float32) error {
	copy(x, o.take(lane, x, addTo))
	return nil
}

func (o one) Gather(x []float32) ([]float32, error) {
	return o.take(-2, x, func(all, x []float32) []float32 { return append(all, x...) }), nil
}

func addTo(sum, x []float32) []float32 {
	if sum == nil {
		sum = make([]float32, len(x))
	}
	for k, v := range x {
		sum[k] += v
	}
	return sum
}

// take returns what join makes of the values of all members, in the order of their ranks.
func (o one) take(lane int, x []float32, join func(sum, x []float32) []float32) []float32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.sums[lane]
	if s == nil {
		s = &sum{given: make([][]float32, len(o.there)), join: join}
		o.sums[lane] = s
	}
	for s.sum != nil { // the others have not read the last one yet
		o.cond.Wait()
	}
	s.given[o.rank] = x
	o.add(s)
	for s.sum == nil {
		o.cond.Wait()
	}
	sum := slices.Clone(s.sum)
	s.given[o.rank] = nil
	if s.took--; s.took == 0 {
		s.sum = nil
		o.cond.Broadcast()
	}
	return sum
}

// add computes the sum if all members have contributed.
func (c *circle) add(s *sum) {
	var sum []float32
	n := 0
	for i, x := range s.given {
		switch {
		case c.there[i] && x == nil:
			return
		case x == nil:
			continue
		}
		sum = s.join(sum, x)
		n++
	}
	s.sum, s.took = sum, n
	c.cond.Broadcast()
}

func (c *circle) leave(rank int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.there[rank] = false
	for _, s := range c.sums {
		if s.sum == nil {
			c.add(s)
		}
	}
	c.letIn()
}

// runTogether trains with n peers, each with a program of its own, and returns their errors and outputs.
func runTogether(ctx context.Context, n int, opt Options, p func(rank int) model.TrainProgram, change ...func(rank int, opt *Options)) (errs []error, said string) {
	c := newCircle(n)
	errs = make([]error, n)
	var out strings.Builder
	var wg sync.WaitGroup
	var mu sync.Mutex
	for rank := range n {
		opt := opt
		opt.Group, opt.Stdout = one{c, rank}, writer(func(b []byte) {
			mu.Lock()
			defer mu.Unlock()
			out.Write(b)
		})
		for _, c := range change {
			c(rank, &opt)
		}
		wg.Go(func() {
			errs[rank] = Run(ctx, p(rank), points(125), opt)
			c.leave(rank)
		})
	}
	wg.Wait()
	return errs, out.String()
}

type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

func calmly(int) model.TrainProgram { return split(nil) }

// teamOptions returns options with batches of 12, which is divisible by 2, 3 and 4.
func teamOptions(t *testing.T, dir string) Options {
	opt := options(t, dir)
	opt.Batch = 12
	return opt
}

// TestTeam trains with one peer and with several: all have the same output and files, up to rounding, and two
// runs have the same bits.
func TestTeam(t *testing.T) {
	alone := t.TempDir()
	opt := teamOptions(t, alone)
	var said strings.Builder
	opt.Stdout = &said
	if err := Run(t.Context(), split(nil), points(125), opt); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 3, 5} {
		var first map[string]string
		for range 2 {
			dir := t.TempDir()
			errs, got := runTogether(t.Context(), n, teamOptions(t, dir), calmly)
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			if got != said.String() {
				t.Errorf("%d peers say\n%s\nwant\n%s", n, got, &said)
			}
			nearResults(t, dir, alone)
			if now := results(t, dir); first == nil {
				first = now
			} else {
				for name := range now {
					if now[name] != first[name] {
						t.Errorf("%d peers: %s differs from one run to the next", n, name)
					}
				}
			}
		}
	}
}

// nearResults compares the losses and the weights of two trainings.
func nearResults(t *testing.T, got, want string) {
	t.Helper()
	a, b := numbersIn(results(t, got)["metrics"]), numbersIn(results(t, want)["metrics"])
	if len(a) != len(b) {
		t.Fatalf("%d numbers, want %d", len(a), len(b))
	}
	for i := range b {
		if !(math.Abs(a[i]-b[i]) <= 1e-5) {
			t.Fatalf("number %d of the metrics is %v, want %v", i, a[i], b[i])
		}
	}
	x, err := readTensors(got + "/ck/" + checkpointFile)
	if err != nil {
		t.Fatal(err)
	}
	y, err := readTensors(want + "/ck/" + checkpointFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range y.Tensors {
		if v.DType != tensor.Float32 {
			continue
		}
		for i, w := range tensor.Data[float32](v) {
			if g := tensor.Data[float32](x.Tensors[name])[i]; !(math.Abs(float64(g-w)) <= 1e-5) {
				t.Errorf("%s is %v, want %v", name, x.Tensors[name].Data, v.Data)
				break
			}
		}
	}
}

// numbersIn returns the numbers in a text.
func numbersIn(text string) (out []float64) {
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("{},:\n", r) }) {
		var v float64
		if n, err := fmt.Sscanf(f, "%g", &v); n == 1 && err == nil {
			out = append(out, v)
		}
	}
	return out
}

// TestTeamLoss kills peers, the leader among them: the others continue, divide the examples, and continue the
// files.
func TestTeamLoss(t *testing.T) {
	dir := t.TempDir()
	errs, said := runTogether(t.Context(), 4, teamOptions(t, dir), func(rank int) model.TrainProgram {
		return split(func(n int) error {
			if rank == 0 && n == 7 || rank == 2 && n == 11 {
				return errKilled
			}
			return nil
		})
	})
	for rank, err := range errs {
		if dead := rank == 0 || rank == 2; dead != errors.Is(err, errKilled) || !dead && err != nil {
			t.Errorf("peer %d: %v", rank, err)
		}
	}
	for _, want := range []string{"step 7: lost peer 0; 3 go on\n", "step 11: lost peer 2; 2 go on\n", "epoch 3  step 24  loss 0."} {
		if strings.Count(said, want) != 1 {
			t.Errorf("they say\n%s\nwant once %q", said, want)
		}
	}
	got := results(t, dir)["metrics"]
	for step := 1; step <= 24; step++ {
		if strings.Count(got, fmt.Sprintf(`{"step":%d,"epoch":%d,"loss"`, step, (step-1)/8+1)) != 1 {
			t.Errorf("step %d does not stand in the metrics once:\n%s", step, got)
		}
	}
}

// killedMidStep is halves with a process that is killed in the middle of a step: the others have its gradients, and
// make the step.
type killedMidStep struct {
	*halves
	at int
}

func (d *killedMidStep) ApplyGradients(rate float64) error {
	if d.steps == d.at {
		return errKilled
	}
	return d.halves.ApplyGradients(rate)
}

// TestTeamLossBeforeWriting kills the leader after all have summed a step, but before it has recorded the step:
// the next leader records it. After step 15 there is a validation.
func TestTeamLossBeforeWriting(t *testing.T) {
	for _, at := range []int{7, 15} {
		dir := t.TempDir()
		runTogether(t.Context(), 3, teamOptions(t, dir), func(rank int) model.TrainProgram {
			p := split(nil)
			begin := p.New
			p.New = func(seed uint64) (model.TrainSession, error) {
				s, err := begin(seed)
				if rank > 0 {
					return s, err
				}
				return &killedMidStep{s.(*halves), at}, err
			}
			return p
		})
		var steps, validations []int
		for l := range strings.Lines(results(t, dir)["metrics"]) {
			var x Line
			if err := json.Unmarshal([]byte(l), &x); err != nil {
				t.Fatal(err)
			}
			if x.Loss != nil {
				steps = append(steps, x.Step)
			} else {
				validations = append(validations, x.Step)
			}
		}
		if want := []int{5, 10, 15, 20, 24}; len(steps) != 24 || !slices.IsSorted(steps) || !slices.Equal(validations, want) || len(slices.Compact(steps)) != 24 {
			t.Errorf("killed in step %d: the metrics have steps %v and validations %v, want 1 to 24 and %v", at, steps, validations, want)
		}
	}
}

// TestTeamInterrupt interrupts one peer: all stop after the same step, and resume with the same result.
func TestTeamInterrupt(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	if errs, _ := runTogether(t.Context(), 3, teamOptions(t, whole), calmly); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	errs, _ := runTogether(ctx, 3, teamOptions(t, dir), func(rank int) model.TrainProgram {
		return split(func(n int) error {
			if rank == 1 && n == 9 {
				cancel()
			}
			return nil
		})
	})
	for rank, err := range errs {
		if !errors.Is(err, ErrInterrupted) || errors.Is(err, errOtherLeads) != (rank > 0) {
			t.Errorf("peer %d: %v", rank, err)
		}
	}
	opt := teamOptions(t, dir)
	opt.Resume = true
	elsewhere := func(rank int, opt *Options) {
		if rank > 0 { // as on another machine
			opt.Checkpoint = filepath.Join(t.TempDir(), "nothing")
		}
	}
	if errs, _ := runTogether(t.Context(), 3, opt, calmly, elsewhere); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	got, want := results(t, dir), results(t, whole)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs from that of a training without a break", name)
		}
	}
}

// TestTeamEnd fails a group in the middle: each peer reports that, and the checkpoint is one of the last step,
// from which the training resumes with the same result.
func TestTeamEnd(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	if errs, _ := runTogether(t.Context(), 2, teamOptions(t, whole), calmly); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	opt := teamOptions(t, dir)
	opt.Group = &breaking{one{newCircle(1), 0}, 13}
	if err := Run(t.Context(), split(nil), points(125), opt); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("got %v", err)
	}
	opt.Resume = true
	if errs, _ := runTogether(t.Context(), 2, opt, calmly); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	nearResults(t, dir, whole)
}

// breaking is a group whose sums fail from one on.
type breaking struct {
	one
	left int
}

var errBroken = errors.New("too few are left")

func (b *breaking) Sum(x []float32) error {
	if b.left--; b.left < 0 {
		return errBroken
	}
	return b.one.Sum(x)
}

func (b *breaking) SumAs(c collective.Codec, lane int, x Addend) error {
	if b.left--; b.left < 0 {
		return errBroken
	}
	return b.one.SumAs(c, lane, x)
}

// drawing is halves that records its random numbers.
type drawing struct {
	*halves
	at   *tensor.Tensor
	note func(drawn int64)
}

func (d *drawing) Gradients() (float64, error) {
	at := tensor.Data[int64](d.at)
	d.note(at[0])
	at[0]++
	return d.halves.Gradients()
}

func (d *drawing) State() []model.Variable {
	return append(d.halves.State(), model.Variable{Name: "drawn", Kind: model.Private, Value: d.at})
}

// TestTeamDraws checks that peers draw different numbers, and all keep the same state.
func TestTeamDraws(t *testing.T) {
	dir := t.TempDir()
	drawn := make([][]int64, 3)
	errs, _ := runTogether(t.Context(), 3, teamOptions(t, dir), func(rank int) model.TrainProgram {
		p := split(nil)
		begin := p.New
		p.Random = "drawn"
		p.New = func(seed uint64) (model.TrainSession, error) {
			s, err := begin(seed)
			at := tensor.Of([]int64{model.Stream(seed)}, 1)
			return &drawing{s.(*halves), at, func(n int64) { drawn[rank] = append(drawn[rank], n) }}, err
		}
		return p
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for _, list := range drawn {
		for _, n := range list {
			if seen[n] || n < 0 || n>>31 > 0 {
				t.Errorf("%d is drawn twice, or has more than 31 bits", n)
			}
			seen[n] = true
		}
	}
	f, err := readTensors(filepath.Join(dir, "ck", checkpointFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := tensor.Data[int64](f.Tensors["drawn"])[0]; len(seen) != 72 || got != model.Stream(7)+24 {
		t.Errorf("%d numbers are drawn, and the stream stands at %d, want 72 and %d", len(seen), got, model.Stream(7)+24)
	}
}

// TestTeamDiffers gives one peer another seed: all report that, and none trains.
func TestTeamDiffers(t *testing.T) {
	opt := teamOptions(t, t.TempDir())
	c := newCircle(3)
	var wg sync.WaitGroup
	for rank := range 3 {
		opt := opt
		opt.Group = one{c, rank}
		if rank == 1 {
			opt.Seed++
		}
		wg.Go(func() {
			defer c.leave(rank)
			if err := Run(t.Context(), split(nil), points(125), opt); !errors.Is(err, errDifferent) {
				t.Errorf("peer %d: %v, want %v", rank, err, errDifferent)
			}
		})
	}
	wg.Wait()
}

// TestSameOfMany: sums of numbers that many peers have alike are exact.
func TestSameOfMany(t *testing.T) {
	const n = 400
	c := newCircle(n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		m := &team{Group: one{c, rank}}
		for i := range n {
			m.members = append(m.members, i)
		}
		wg.Go(func() { errs[rank] = m.same("text") })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(errs[0])
	}
}

// fixing is a program whose model has batches of n examples.
func fixing(n int) model.TrainProgram {
	p := split(nil)
	p.Inputs[0].Dims, p.Targets[0].Dims = []string{fmt.Sprint(n), "2"}, []string{fmt.Sprint(n)}
	return p
}

// TestTeamFixed trains a model with batches of four examples, with three peers: the batch has twelve.
func TestTeamFixed(t *testing.T) {
	alone, dir := t.TempDir(), t.TempDir()
	if err := Run(t.Context(), split(nil), points(125), teamOptions(t, alone)); err != nil {
		t.Fatal(err)
	}
	opt := teamOptions(t, dir)
	opt.Batch = 0
	if errs, _ := runTogether(t.Context(), 3, opt, func(int) model.TrainProgram { return fixing(4) }); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	a, b := results(t, dir)["metrics"], results(t, alone)["metrics"]
	if x, y := lossesIn(a), lossesIn(b); len(x) != 24 || len(y) != 24 {
		t.Errorf("%d and %d losses, want 24", len(x), len(y))
	} else {
		for i := range x {
			if !(math.Abs(x[i]-y[i]) <= 1e-5) {
				t.Errorf("the loss of step %d is %v, want %v", i+1, x[i], y[i])
			}
		}
	}
}

// lossesIn returns the losses of steps: those of validations differ, as these fill up the last batch.
func lossesIn(text string) (out []float64) {
	for l := range strings.Lines(text) {
		var x Line
		if json.Unmarshal([]byte(l), &x) == nil && x.Loss != nil {
			out = append(out, *x.Loss)
		}
	}
	return out
}

// TestTeamRefuses checks that programs that cannot be distributed are refused.
func TestTeamRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		p     model.TrainProgram
		batch int
	}{
		"the batch is 12, the model fixes 8 for each of 3 peers":        {fixing(8), 12},
		"the batch is 2, want at least one example for each of 3 peers": {split(nil), 2},
		"the step is whole, want one that is split":                     {program(nil, nil), 12},
	} {
		_, err := newTrainer(c.p, points(125), Options{Epochs: 1, Batch: c.batch, Group: one{newCircle(3), 0}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
