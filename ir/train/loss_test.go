package train

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var (
	two          = 2
	classWeights = []float64{0.2, 0.3, 0.5}

	labels = tensor.Of([]int64{2, 0}, 2)
	soft   = tensor.Of([]float64{0.2, 0.5, 0.3, 0.1, 0.1, 0.8}, 2, 3)
	binary = tensor.Of([]float64{0, 1, 1, 1, 0, 0.5}, 2, 3)
	goal   = tensor.Of([]float64{0.4, -3, 0.25, 1, 1.1, 0.3}, 2, 3)
	sign   = tensor.Of([]float64{1, -1}, 2)

	pair = tensor.Of([]float64{0.5, 2}, 2) // weights of losses that are not reduced
	six  = tensor.Of([]float64{0.5, 2, -1, 0.25, 1, 3}, 2, 3)
)

func targets(t ...tensor.Value) []tensor.Value { return t }

// lossCases are losses of the outputs 0.5, -1, 0.25 and 2, 0.1, -0.3, and their gradients, from PyTorch;
// those of the hinges and focal are from their definition. With the reduction none it is the sum of the
// losses, each multiplied by its weight.
var lossCases = []struct {
	loss    Loss
	targets []tensor.Value
	want    float64
	grad    []float64
}{
	{Loss{Name: "cross_entropy"}, targets(labels), 0.583558849273,
		[]float64{0.249758864907, 0.0557287355251, -0.305487600432, -0.0999447805206, 0.0598357067903, 0.0401090737303}},
	{Loss{Name: "cross_entropy", Reduction: "sum"}, targets(labels), 1.16711769855,
		[]float64{0.499517729813, 0.11145747105, -0.610975200863, -0.199889561041, 0.119671413581, 0.0802181474606}},
	{Loss{Name: "cross_entropy", Weights: classWeights}, targets(labels), 0.738081708042,
		[]float64{0.356798378438, 0.0796124793216, -0.43641085776, -0.0571113031546, 0.0341918324516, 0.022919470703}},
	{Loss{Name: "cross_entropy", Ignore: &two}, targets(labels), 0.223005512144,
		[]float64{0, 0, 0, -0.199889561041, 0.119671413581, 0.0802181474606}},
	{Loss{Name: "cross_entropy", Smoothing: 0.1}, targets(labels), 0.670225515939,
		[]float64{0.23309219824, 0.0390620688584, -0.272154267098, -0.0666114471873, 0.0431690401237, 0.0234424070636}},
	{Loss{Name: "cross_entropy", Smoothing: 0.1, Weights: classWeights, Ignore: &two}, targets(labels), 0.524539212953,
		[]float64{0, 0, 0, -0.079882198444, 0.0776495078194, 0.00223269062459}},
	{Loss{Name: "cross_entropy", Smoothing: 0.1, Weights: classWeights, Reduction: "sum"}, targets(labels), 0.572062066018,
		[]float64{0.234766902743, 0.0438711110076, -0.278638013751, -0.0159764396888, 0.0155299015639, 0.000446538124918}},
	{Loss{Name: "cross_entropy", Soft: true}, targets(soft), 1.88605884927,
		[]float64{0.149758864907, -0.194271264475, 0.0445123995683, 0.350055219479, 0.00983570679034, -0.35989092627}},
	{Loss{Name: "cross_entropy", Soft: true, Weights: classWeights, Smoothing: 0.1}, targets(soft), 0.762668075704,
		[]float64{0.063418174825, -0.0535893824118, -0.00982879241316, 0.163024204538, 0.00772798480977, -0.170752189348}},
	{Loss{Name: "nll", Weights: classWeights}, targets(labels), -0.75,
		[]float64{0, 0, -0.714285714286, -0.285714285714, 0, 0}},
	{Loss{Name: "mse"}, targets(goal), 1.06166666667,
		[]float64{0.0333333333333, 0.666666666667, 0, 0.333333333333, -0.333333333333, -0.2}},
	{Loss{Name: "mse", Reduction: "sum"}, targets(goal), 6.37,
		[]float64{0.2, 4, 0, 2, -2, -1.2}},
	{Loss{Name: "l1"}, targets(goal), 0.783333333333,
		[]float64{0.166666666667, 0.166666666667, 0, 0.166666666667, -0.166666666667, -0.166666666667}},
	{Loss{Name: "huber", Delta: 0.5}, targets(goal), 0.300833333333,
		[]float64{0.0166666666667, 0.0833333333333, 0, 0.0833333333333, -0.0833333333333, -0.0833333333333}},
	{Loss{Name: "smooth_l1", Delta: 0.5}, targets(goal), 0.601666666667,
		[]float64{0.0333333333333, 0.166666666667, 0, 0.166666666667, -0.166666666667, -0.166666666667}},
	{Loss{Name: "bce_logits"}, targets(binary), 0.739826334527,
		[]float64{0.103743221867, -0.121843096438, -0.0729705831857, -0.0198671536704, 0.0874965312465, -0.0124070861353}},
	{Loss{Name: "kl"}, targets(soft), -0.218947478952,
		[]float64{-0.0333333333333, -0.0833333333333, -0.05, -0.0166666666667, -0.0166666666667, -0.133333333333}},
	{Loss{Name: "kl", Reduction: "batchmean"}, targets(soft), -0.656842436857,
		[]float64{-0.1, -0.25, -0.15, -0.05, -0.05, -0.4}},
	{Loss{Name: "kl", Reduction: "sum"}, targets(binary), -1.44657359028,
		[]float64{0, -1, -1, -1, 0, -0.5}},
	{Loss{Name: "cosine", Margin: 0.1}, targets(goal, sign), 0.310037632165,
		[]float64{0.121129517693, 0.0739095362198, 0.0533791094918, 0.00238276686233, 0.171082660712, 0.072912665986}},
	{Loss{Name: "triplet"}, targets(goal, soft), 0.90637803648,
		[]float64{-0.0730370619573, 0.989404732699, 0.0163342197279, -0.107240612993, -0.32547226247, 0.0552347753002}},
	{Loss{Name: "cross_entropy", Reduction: "none"}, targets(labels, pair), 0.918067117488,
		[]float64{0.249758864907, 0.0557287355251, -0.305487600432, -0.399779122082, 0.239342827161, 0.160436294921}},
	{Loss{Name: "cross_entropy", Reduction: "none", Smoothing: 0.1, Weights: classWeights, Ignore: &two}, targets(labels, pair), 0.209815685181,
		[]float64{0, 0, 0, -0.0319528793776, 0.0310598031278, 0.000893076249835}},
	{Loss{Name: "cross_entropy", Reduction: "none", Smoothing: 0.1, Weights: classWeights}, targets(labels, pair), 0.443392796895,
		[]float64{0.117383451372, 0.0219355555038, -0.139319006875, -0.0319528793776, 0.0310598031278, 0.000893076249835}},
	{Loss{Name: "cross_entropy", Reduction: "none", Soft: true}, targets(soft, pair), 5.26556711749,
		[]float64{0.149758864907, -0.194271264475, 0.0445123995683, 1.40022087792, 0.0393428271614, -1.43956370508}},
	{Loss{Name: "nll", Reduction: "none", Weights: classWeights}, targets(labels, pair), -0.8625,
		[]float64{0, 0, -0.25, -0.4, 0, 0}},
	{Loss{Name: "mse", Reduction: "none"}, targets(goal, six), 10.335,
		[]float64{0.1, 8, 0, 0.5, -2, -3.6}},
	{Loss{Name: "l1", Reduction: "none"}, targets(goal, six), 7.1,
		[]float64{0.5, 2, 0, 0.25, -1, -3}},
	{Loss{Name: "huber", Reduction: "none", Delta: 0.5}, targets(goal, six), 2.74625,
		[]float64{0.05, 1, 0, 0.125, -0.5, -1.5}},
	{Loss{Name: "smooth_l1", Reduction: "none", Delta: 0.5}, targets(goal, six), 5.4925,
		[]float64{0.1, 2, 0, 0.25, -1, -3}},
	{Loss{Name: "bce_logits", Reduction: "none"}, targets(binary, six), 5.42681684349,
		[]float64{0.311229665601, -1.46211715726, 0.437823499114, -0.0298007305055, 0.524979187479, -0.223327550435}},
	{Loss{Name: "kl", Reduction: "none"}, targets(soft, six), 0.368733209716,
		[]float64{-0.1, -1, 0.3, -0.025, -0.1, -2.4}},
	{Loss{Name: "cosine", Reduction: "none", Margin: 0.1}, targets(goal, sign, pair), 1.14674138984,
		[]float64{0.121129517693, 0.0739095362198, 0.0533791094918, 0.00953106744931, 0.684330642849, 0.291650663944}},
	{Loss{Name: "triplet", Reduction: "none"}, targets(goal, soft, pair), 1.41754586839,
		[]float64{-0.0730370619573, 0.989404732699, 0.0163342197279, -0.428962451973, -1.30188904988, 0.220939101201}},
	{Loss{Name: "hinge"}, targets(binary), 1.10833333333,
		[]float64{0.166666666667, -0.166666666667, -0.166666666667, 0, 0.166666666667, -0.166666666667}},
	{Loss{Name: "hinge", Margin: 0.75}, targets(goal), 0.408333333333,
		[]float64{-0.166666666667, 0, -0.166666666667, 0, -0.166666666667, -0.166666666667}},
	{Loss{Name: "hinge", Reduction: "none"}, targets(binary, six), 9,
		[]float64{0.5, -2, 1, 0, 1, -3}},
	{Loss{Name: "squared_hinge"}, targets(binary), 1.61875,
		[]float64{0.5, -0.666666666667, -0.25, 0, 0.366666666667, -0.433333333333}},
	{Loss{Name: "squared_hinge", Reduction: "none"}, targets(binary, six), 14.8425,
		[]float64{1.5, -8, 1.5, 0, 2.2, -7.8}},
	{Loss{Name: "focal"}, targets(binary), 0.121414998723,
		[]float64{0.0657689777343, -0.0320097801333, -0.00866901579687, -0.000202955841475, 0.0424493269088, -0.00155088576691}},
	{Loss{Name: "focal", Gamma: 1.5, Alpha: -1}, targets(binary), 0.33391607859,
		[]float64{0.0960984878981, -0.1313525376, -0.0445893269402, -0.00196792764222, 0.066907193893, -0.00438656737051}},
	{Loss{Name: "focal", Reduction: "none"}, targets(binary, six), 0.882977615324,
		[]float64{0.197306933203, -0.3841173616, 0.0520140947812, -0.000304433762212, 0.254695961453, -0.0279159438044}},
	{Loss{Name: "output", Reduction: "none"}, targets(six), -2.3,
		[]float64{0.5, 2, -1, 0.25, 1, 3}},
}

// TestLosses compares each loss and its gradients with those of PyTorch.
func TestLosses(t *testing.T) {
	for _, c := range lossCases {
		t.Run(fmt.Sprint(c.loss.Name, c.loss.Reduction, c.loss.Smoothing), func(t *testing.T) {
			o, err := NewOptimizer("sgd")
			if err != nil {
				t.Fatal(err)
			}
			s := start(t, parse(t, constant, []float64{0.5, -1, 0.25, 2, 0.1, -0.3}, 2, 3), Options{Loss: c.loss, Optimizer: o, Gradients: true})
			in := append(targets(tensor.New(tensor.Float64, 2, 3)), c.targets...)
			loss := s.step(append(in, tensor.Of([]float32{0}))...)
			near(t, "losses", []float64{loss}, []float64{c.want}, 1e-7)
			near(t, "gradients", tensor.Data[float64](s.value("w.grad")), c.grad, 1e-7)
		})
	}
}

// TestMarginRanking has three pairs of scores, of which the second and the third are in the wrong order.
func TestMarginRanking(t *testing.T) {
	for _, c := range []struct {
		margin float64
		reduce string
		want   float64
		grad   []float64
	}{
		{0, "mean", 0.716666666667, []float64{0, 0, -0.333333333333, 0.333333333333, 0.333333333333, -0.333333333333}},
		{0.5, "mean", 1.05, []float64{0, 0, -0.333333333333, 0.333333333333, 0.333333333333, -0.333333333333}},
		{0.5, "none", 7.2, []float64{0, 0, -2, 2, 3, -3}},
	} {
		o, err := NewOptimizer("sgd")
		if err != nil {
			t.Fatal(err)
		}
		m := parse(t, constant, []float64{0.5, -1, 0.25, 2, 0.1, -0.3}, 3, 2)
		loss := Loss{Name: "margin_ranking", Margin: c.margin, Reduction: c.reduce}
		s := start(t, m, Options{Loss: loss, Optimizer: o, Gradients: true})
		in := targets(tensor.New(tensor.Float64, 3, 2), tensor.Of([]float64{1, 1, -1}, 3))
		if c.reduce == "none" {
			in = append(in, tensor.Of([]float64{0.5, 2, 3}, 3))
		}
		got := s.step(append(in, tensor.Of([]float32{0}))...)
		near(t, "losses", []float64{got}, []float64{c.want}, 1e-7)
		near(t, "gradients", tensor.Data[float64](s.value("w.grad")), c.grad, 1e-7)
	}
	o, err := NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(parse(t, constant, []float64{1, 2, 3}, 1, 3), Options{Loss: Loss{Name: "margin_ranking"}, Optimizer: o})
	if err == nil || !strings.Contains(err.Error(), "want two scores along the last axis") {
		t.Errorf("got %v, want what the output has to be", err)
	}
}

// TestEach tests that an evaluation returns the unreduced losses after the model's output, with the reduction
// none.
func TestEach(t *testing.T) {
	o, err := NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	m := parse(t, constant, []float64{0.5, -1, 0.25, 2, 0.1, -0.3}, 2, 3)
	p, err := Build(m, Options{Loss: Loss{Name: "cross_entropy", Reduction: "none"}, Optimizer: o})
	if err != nil {
		t.Fatal(err)
	}
	if p.Targets != 2 {
		t.Errorf("%d targets, want the labels and the weights", p.Targets)
	}
	out, _, err := eval.Step(p.Eval.Main, nil, targets(tensor.New(tensor.Float64, 2, 3), labels, pair))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "losses", tensor.Data[float64](out[2].(*tensor.Tensor)), []float64{0.944112186402, 0.223005512144}, 1e-7)
}

// constant returns a model that computes its parameter plus the input.
const constant = `
module "constant"
opset 22
func @main(%x: float64[SHAPE]) -> (%y) {
  const %w: float64[SHAPE] = WEIGHTS
  %y = Add(%w, %x)
}
`
