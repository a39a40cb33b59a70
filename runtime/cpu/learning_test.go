package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// exactKernel is a kernel function of support vector machines, as libsvm defines it.
func exactKernel(p *SVM, x, v []float64) float64 {
	dot, square := inner(x, v), 0.0
	for i := range x {
		square += (x[i] - v[i]) * (x[i] - v[i])
	}
	switch p.Kernel {
	case "POLY":
		return math.Pow(p.Gamma*dot+p.Coef0, p.Degree)
	case "RBF":
		return math.Exp(-p.Gamma * square)
	case "SIGMOID":
		return math.Tanh(p.Gamma*dot + p.Coef0)
	}
	return dot
}

// TestSVMKernels compares regression and the scores of pairs of three classes with their definitions, for each kernel function.
func TestSVMKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, cols, vectors, classes = 5, 3, 7, 3
	perClass := []int64{2, 4, 1}
	for _, kernel := range []string{"LINEAR", "POLY", "RBF", "SIGMOID"} {
		p := SVM{Kernel: kernel, Gamma: 0.5, Coef0: 0.25, Degree: 3, Columns: cols, VectorCount: vectors, Scores: 3, PerClass: perClass,
			Vectors: randoms(rng, vectors*cols), Coefficients: randoms(rng, (classes-1)*vectors), Rho: randoms(rng, 3)}
		x := randoms(rng, rows*cols)
		value, scores, votes := make([]float32, rows), make([]float32, rows*3), make([]float32, rows*classes)
		SVMRegress(value, x, p)
		SVMScores(scores, votes, make([]float64, vectors), x, p)
		var want, wantScores, wantVotes []float64
		for r := range rows {
			k := make([]float64, vectors)
			for j := range k {
				k[j] = exactKernel(&p, widen64(row(x, r, cols)), widen64(row(p.Vectors, j, cols)))
			}
			want = append(want, float64(p.Rho[0])+inner(k, widen64(p.Coefficients[:vectors])))
			s, v := exactPairs(&p, k)
			wantScores, wantVotes = append(wantScores, s...), append(wantVotes, v...)
		}
		nearly(t, kernel, widen64(value), want, 1e-6)
		nearly(t, kernel+" of pairs", widen64(scores), wantScores, 1e-6)
		nearly(t, kernel+", votes", widen64(votes), wantVotes, 0)
	}
}

// exactPairs decides between classes a < b by Σ α·k over the vectors of both, where the row of coefficients of a vector depends on
// the other class: b-1 for those of a, a for those of b.
func exactPairs(p *SVM, k []float64) (scores, votes []float64) {
	var class []int // of each vector
	for c, n := range p.PerClass {
		class = append(class, slicesOf(int(n), c)...)
	}
	votes = make([]float64, len(p.PerClass))
	for a := range p.PerClass {
		for b := a + 1; b < len(p.PerClass); b++ {
			sum := float64(p.Rho[len(scores)])
			for j, c := range class {
				switch c {
				case a:
					sum += float64(p.Coefficients[(b-1)*len(class)+j]) * k[j]
				case b:
					sum += float64(p.Coefficients[a*len(class)+j]) * k[j]
				}
			}
			if scores = append(scores, sum); sum > 0 {
				votes[a]++
			} else {
				votes[b]++
			}
		}
	}
	return scores, votes
}

// TestLinearClassifiers checks linear machines and models, with and without an intercept, of integers, too.
func TestLinearClassifiers(t *testing.T) {
	coef, x := []float32{1, -2, 0.5, 3}, []int64{2, 1, -4, 3}
	got := make([]float32, 4)
	SVMScores(got, nil, nil, x, SVM{Columns: 2, Scores: 2, Coefficients: coef, Rho: []float32{0.25}})
	equal(t, "SVMScores", got, 0.25, 4.25, -9.75, 7.25)
	LinearScores(got, x, coef, nil, 2, 2)
	equal(t, "LinearScores", got, 0, 4, -10, 7)
	LinearScores(got, []float64{2, 1, -4, 3}, coef, []float32{1, -1}, 2, 2)
	equal(t, "LinearScores with intercepts", got, 1, 3, -9, 6)
	TwoScores(got, []float32{0.25, 2}, true)
	equal(t, "TwoScores of probabilities", got, 0.75, 0.25, -1, 2)
	TwoScores(got, []float32{0.25, 2}, false)
	equal(t, "TwoScores", got, -0.25, 0.25, -2, 2)
	one := []float32{0}
	SVMRegress(one, []float32{3, 0}, SVM{Columns: 2, Coefficients: coef, Rho: []float32{-3}, OneClass: true})
	equal(t, "one class at its edge", one, -1) // 0 is not positive
	SVMRegress(one, []float32{4, 0}, SVM{Columns: 2, Coefficients: coef, Rho: []float32{-3}, OneClass: true})
	equal(t, "one class", one, 1)
}

// TestSVMProbabilities checks the condition of Wu, Lin and Weng (2004) for the minimum of Σ (r[j,i]·p[i] - r[i,j]·p[j])² where Σp is 1: its
// derivatives by all p are equal. r[i,j] = 1/(1+exp(A·score+B)) is the probability of class i among i and j.
func TestSVMProbabilities(t *testing.T) {
	const n, pairs = 4, 4 * 3 / 2
	rng := rand.New(rand.NewPCG(5, 6))
	p := SVM{PerClass: make([]int64, n), Scores: pairs, ProbA: slicesOf(pairs, float32(-1)), ProbB: randoms(rng, pairs)}
	for range 50 {
		scores, got := randoms(rng, pairs), make([]float32, n)
		SVMProbabilities(got, scores, make([]float64, n*n), make([]float64, n*n), make([]float64, 2*n), p)
		var r [n][n]float64
		for i, k := 0, 0; i < n; i++ {
			for j := i + 1; j < n; j, k = j+1, k+1 {
				r[i][j] = 1 / (1 + math.Exp(float64(p.ProbB[k])-float64(scores[k])))
				r[j][i] = 1 - r[i][j]
			}
		}
		var slope [n]float64
		for i := range n {
			for j := range n {
				slope[i] += r[j][i] * (r[j][i]*float64(got[i]) - r[i][j]*float64(got[j]))
			}
		}
		nearly(t, "derivatives", slope[:], slicesOf(n, slope[0]), 2*0.005/n) // libsvm's tolerance, on both sides
		nearly(t, "sum", []float64{inner(widen64(got), slicesOf(n, 1.0))}, []float64{1}, 1e-6)
	}
}

// TestTreeBranches checks each comparison below, at and above the split, and for NaN.
func TestTreeBranches(t *testing.T) {
	x := []float32{1, 2, 3, float32(nan)}
	for mode, want := range map[uint8][]float32{
		BranchLessOrEqual: {1, 1, 0, 0}, BranchLess: {1, 0, 0, 0}, BranchGreaterOrEqual: {0, 1, 1, 0},
		BranchGreater: {0, 0, 1, 0}, BranchEqual: {0, 1, 0, 0}, BranchNotEqual: {1, 0, 1, 1},
	} {
		for missing := range uint8(2) {
			trees := Trees{Roots: []int32{0}, Feature: []int32{0}, Mode: []uint8{mode}, Missing: []uint8{missing}, Yes: []int32{-2}, No: []int32{-1},
				First: []int32{0, 1, 2}, Target: []int32{0, 0}, Weight: []float64{0, 1}, Base: []float64{10}, Aggregate: "SUM", Columns: 1, Scores: 1, Features: 1}
			got := make([]float32, 4)
			TreeScores(got, make([]float64, 1), x, []float32{2}, trees)
			for i, v := range want {
				if i == 3 && missing == 1 {
					v = 1
				}
				if got[i] != 10+v {
					t.Errorf("mode %d, missing %d: %v gives %v, want %v", mode, missing, x[i], got[i], 10+v)
				}
			}
		}
	}
	none := []float64{9, 9} // no leaf adds to the second target
	trees := Trees{Roots: []int32{-1}, First: []int32{0, 1}, Target: []int32{0}, Weight: []float64{-4}, Aggregate: "MAX", Scores: 2}
	TreeScores(none, make([]float64, 2), []float32{}, []float32{}, trees)
	equal(t, "largest of none", none, -4, 0)
}

// TestLinearAttentionDecay compares heads that share keys, with a decay for each head or each element of a key, with the recurrence
// S ← diag(exp(g))·S; v ← β(v - Sᵀk); S ← S + k⊗v; y = Sᵀq/√d.
func TestLinearAttentionDecay(t *testing.T) {
	const batch, seq, heads, shared, keys, values = 2, 4, 4, 2, 3, 5
	for _, decays := range []int{shared, shared * keys} {
		for _, betas := range []int{shared, 1} {
			o := LinearAttn{Batch: batch, Seq: seq, Heads: heads, KVHeads: shared, KeySize: keys, ValueSize: values, DecaySize: decays, BetaSize: betas}
			rng := rand.New(rand.NewPCG(3, uint64(decays)))
			in := LinearAttnIn[float64]{Q: uniform[float64](rng, batch*seq*heads*keys), K: uniform[float64](rng, batch*seq*shared*keys),
				V: uniform[float64](rng, batch*seq*shared*values), Past: uniform[float64](rng, batch*shared*keys*values),
				Decay: uniform[float64](rng, batch*seq*decays), Beta: uniform[float64](rng, batch*seq*betas)}
			want, s := make([]float64, batch*seq*heads*values), append([]float64(nil), in.Past...)
			for i := range batch * shared * seq {
				b, h, token := i/(shared*seq), i/seq%shared, i/(shared*seq)*seq+i%seq
				state, k := row(s, b*shared+h, keys*values), row(in.K, token*shared+h, keys)
				for j := range state {
					state[j] *= math.Exp(in.Decay[token*decays+h*(decays/shared)+j/values%(decays/shared)])
				}
				for c := range values {
					held := 0.0
					for d := range keys {
						held += state[d*values+c] * k[d]
					}
					v := in.Beta[token*betas+h%betas] * (in.V[(token*shared+h)*values+c] - held)
					for d := range keys {
						state[d*values+c] += k[d] * v
					}
					for q := h * heads / shared; q < (h+1)*heads/shared; q++ {
						for d := range keys {
							want[(token*heads+q)*values+c] += state[d*values+c] * in.Q[(token*heads+q)*keys+d] / math.Sqrt(keys)
						}
					}
				}
			}
			got, state := make([]float64, len(want)), make([]float64, len(s))
			LinearAttention(got, state, in, make([]float64, values), o)
			nearly(t, fmt.Sprint("y ", decays, betas), got, want, 1e-13)
			nearly(t, fmt.Sprint("state ", decays, betas), state, s, 1e-13)
		}
	}
}

// TestContainerSizes checks numbers of items, and what is said of values of another kind.
func TestContainerSizes(t *testing.T) {
	seq, n := seqOf([]float32{1}, nil), []int64{9}
	SequenceLength(n, seq)
	if SequenceLen(seq) != 2 || n[0] != 2 {
		t.Errorf("got %d and %d items, want 2", SequenceLen(seq), n[0])
	}
	var copied tensor.Map
	CopyMap(&copied, tensor.MapOf([]int64{3, 4}, []float32{1, 2}))
	if MapLen(&copied) != 2 {
		t.Errorf("got %d keys, want 2", MapLen(&copied))
	}
	for want, f := range map[string]func(){
		"CastMap: the map is missing":                                   func() { MapLen(nil) },
		"OptionalGetElement: element is float32[1], want a sequence":    func() { OptionalGetSequence(seq, &tensor.Optional{Value: tensor.Of([]float32{1}, 1)}) },
		"SequenceAt: item is float32[1], want elements of another type": func() { SequenceGet(n, seq, []int64{0}, []int{1}) },
	} {
		if got := complaint(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
