package task

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/runtime"
)

// crossEntropy is the mean loss of logistic regression and the fraction of correct examples, in float64.
func crossEntropy(e *examples, model []float64) (loss, accuracy float64) {
	for i, y := range e.y {
		sum, own, better := 0.0, 0.0, 0
		logits := make([]float64, e.classes)
		for c := range logits {
			w := model[c*(e.features+1):]
			logits[c] = w[e.features]
			for j, x := range e.x[i*e.features : (i+1)*e.features] {
				logits[c] += w[j] * float64(x)
			}
			sum += math.Exp(logits[c])
		}
		own = logits[y]
		for _, l := range logits {
			if l > own {
				better = 1
			}
		}
		loss += math.Log(sum) - own
		accuracy += 1 - float64(better)
	}
	n := float64(len(e.y))
	return loss / n, accuracy / n
}

// some returns examples and a model.
func some(n, features int) (*examples, []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	e := &examples{features: features, classes: 3, batch: 4}
	for range n {
		e.y = append(e.y, r.IntN(e.classes))
		for range features {
			e.x = append(e.x, float32(r.NormFloat64()))
		}
	}
	model := make([]float32, e.Size())
	for i := range model {
		model[i] = float32(r.NormFloat64())
	}
	return e, model
}

func wide(x []float32) (out []float64) {
	for _, v := range x {
		out = append(out, float64(v))
	}
	return out
}

// The gradient of a batch, which is one example again and again, is the central difference of the loss. What is in dst
// before does not count.
func TestGradient(t *testing.T) {
	for _, features := range []int{1, 4, 6} {
		e, model := some(1, features)
		dst := slices.Repeat([]float32{float32(math.NaN())}, e.Size())
		e.Gradient(dst, model, rand.New(rand.NewPCG(1, 1)))
		for i := range dst {
			const step = 1e-4
			up, down := wide(model), wide(model)
			up[i] += step
			down[i] -= step
			over, _ := crossEntropy(e, up)
			under, _ := crossEntropy(e, down)
			if want := (over - under) / (2 * step); !(math.Abs(float64(dst[i])-want) < 1e-5) {
				t.Errorf("%d features: element %d is %v, want %v", features, i, dst[i], want)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	e, model := some(50, 6)
	loss, accuracy := e.Judge(model)
	wantLoss, wantAccuracy := crossEntropy(e, wide(model))
	if math.Abs(loss-wantLoss) > 1e-5 || math.Abs(accuracy-wantAccuracy) > 1e-9 {
		t.Errorf("loss %v, accuracy %v, want %v and %v", loss, accuracy, wantLoss, wantAccuracy)
	}
	for i := range model { // no probability overflows, and that of a label may be 0
		model[i] *= 1e6
	}
	if loss, _ := e.Judge(model); math.IsNaN(loss) || math.IsInf(loss, 0) {
		t.Errorf("the loss of large parameters is %v", loss)
	}
}

// The gradients are the central differences of x²+G·x and of -G·x.
func TestQuadratic(t *testing.T) {
	const g, step = 10, 1e-3
	for rank, loss := range []func(x float64) float64{
		func(x float64) float64 { return x*x + g*x },
		func(x float64) float64 { return -g * x },
	} {
		task, err := Config{Name: "quadratic", Clients: 2, Skew: g}.Of(runtime.Env{Rank: rank})
		if err != nil || task.Size() != 1 || task.Samples() != 1 {
			t.Fatal(task, err)
		}
		for _, x := range []float32{-7, 0, 3} {
			dst := make([]float32, 1)
			task.Gradient(dst, []float32{x}, nil)
			if want := (loss(float64(x)+step) - loss(float64(x)-step)) / (2 * step); math.Abs(float64(dst[0])-want) > 1e-4 {
				t.Errorf("client %d: the gradient at %v is %v, want %v", rank, x, dst[0], want)
			}
		}
	}
	judge, err := Config{Name: "quadratic"}.Judge(runtime.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if loss, _ := judge.Judge([]float32{-3}); loss != 3 {
		t.Errorf("the distance of -3 from the optimum is %v", loss)
	}
}

// Each client has at least 50 examples, always the same, and other ones than the others; the judge has those of all.
func TestSynthetic(t *testing.T) {
	c := Config{Name: "synthetic", Clients: 5, Skew: 1}
	total, seen := 0, map[float32]bool{}
	for rank := range c.Clients {
		task, err := c.Of(runtime.Env{Seed: 1, Rank: rank})
		if err != nil {
			t.Fatal(err)
		}
		s := task.(*synthetic)
		if n := s.Samples(); n < 50 || n > 50+most || len(s.x) != n*60 || s.Size() != 610 {
			t.Errorf("client %d: %d examples with %d features", rank, n, len(s.x))
		}
		if again := newSynthetic(1, 1, rank); !slices.Equal(s.x, again.x) || !slices.Equal(s.y, again.y) {
			t.Errorf("client %d has other examples the second time", rank)
		}
		if slices.Min(s.y) < 0 || slices.Max(s.y) > 9 {
			t.Errorf("client %d has the labels %v", rank, s.y)
		}
		total, seen[s.x[0]] = total+s.Samples(), true
	}
	judge, err := c.Judge(runtime.Env{Seed: 1})
	if err != nil || len(judge.(*synthetic).y) != total || len(seen) != c.Clients {
		t.Errorf("the judge has %d examples %v, the clients %d; %d are different", len(judge.(*synthetic).y), err, total, len(seen))
	}
}

// The clients share the digits for training, each of which is one client's. The judge has those for evaluation.
func TestDigits(t *testing.T) {
	dir := t.TempDir()
	if err := drawn.Write(dir, 300, 40); err != nil {
		t.Fatal(err)
	}
	env := runtime.Env{Seed: 1, Class: "client", Data: os.DirFS(dir)}
	c := Config{Name: "digits", Clients: 3, Skew: 1}
	total := 0
	for rank := range c.Clients {
		env.Rank = rank
		task, err := c.Of(env)
		if err != nil || task.Size() != 10*(196+1) {
			t.Fatal(task, err)
		}
		total += task.Samples()
	}
	judge, err := c.Judge(env)
	if err != nil {
		t.Fatal(err)
	}
	tests := judge.(*digits)
	if total != 300 || tests.Samples() != 40 || len(tests.x) != 40*196 {
		t.Errorf("%d digits for training, %d for evaluation", total, tests.Samples())
	}
	if _, err := c.Of(runtime.Env{}); err == nil {
		t.Error("no data is no error")
	}
}

// Each pixel is the mean of its four: of the image i·28+j that is the value at 2i+½, 2j+½.
func TestHalved(t *testing.T) {
	image := make([]float32, 28*28)
	for i := range image {
		image[i] = float32(i)
	}
	for i, got := range halved(image) {
		if want := (2*float64(i/14)+0.5)*28 + 2*float64(i%14) + 0.5; float64(got) != want {
			t.Fatalf("pixel %d is %v, want %v", i, got, want)
		}
	}
}

// An epoch has a step for each ten examples that are begun.
func TestStepsFor(t *testing.T) {
	for samples, want := range map[int]int{1: 2, 10: 2, 11: 4, 20: 4} {
		if got := (Local{Epochs: 2, Steps: 99}).StepsFor(samples); got != want {
			t.Errorf("%d examples: %d steps, want %d", samples, got, want)
		}
	}
	if got := (Config{Name: "digits"}).Local().StepsFor(1000); got != 10 {
		t.Errorf("%d steps without epochs, want 10", got)
	}
}

func TestUnknownTask(t *testing.T) {
	c := Config{Name: "none"}
	if _, err := c.Of(runtime.Env{}); err == nil {
		t.Error("a client has an unknown task")
	}
	if _, err := c.Judge(runtime.Env{}); err == nil {
		t.Error("a judge has an unknown task")
	}
}
