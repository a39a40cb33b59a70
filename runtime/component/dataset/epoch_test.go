package dataset

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// numbered is a source in memory of n examples: features and label of each are its number.
func numbered(t *testing.T, n int) DataSource {
	t.Helper()
	x, y := tensor.New(tensor.Float32, n, 1), tensor.New(tensor.Int64, n)
	for i := range n {
		tensor.Data[float32](x)[i] = float32(i)
		tensor.Data[int64](y)[i] = int64(i)
	}
	s, err := NewMemory(x, y, tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sources returns a source of each kind, and of each kind of wrapper.
func sources(t *testing.T) map[string]DataSource {
	t.Helper()
	all := map[string]DataSource{"memory": numbered(t, 11)}
	var pictures []any
	for i := range 5 {
		pictures = append(pictures, fmt.Sprintf("class%d/%d.png", i%2, i), picture(2+i, 2, color.Gray{byte(50 * i)}))
	}
	open := func(name, file string, opt Options, fsys ...any) *Set {
		set, err := Open(files(fsys...), file, opt)
		if err != nil {
			t.Fatal(name, err)
		}
		all[name] = set.Train
		return set
	}
	floats := Options{X: tensor.Float32, Y: tensor.Int64}
	open("images", ".", floats, pictures...)
	open("text", "a.txt", Options{X: tensor.Int64, Y: tensor.Int64, Shape: []int{3}}, "a.txt", "how much wood would a woodchuck chuck")
	table := open("table", "a.csv", floats, "a.csv", "a,b,y\n1,2,cat\n3,4,dog\n5,6,cat\n7,8,eel\n9,0,dog\n")
	changed := *table
	if err := changed.FollowClasses([]string{"eel", "dog", "cat"}); err != nil {
		t.Fatal(err)
	}
	if err := changed.FollowColumns([]string{"b"}); err != nil {
		t.Fatal(err)
	}
	all["adapted"] = changed.Train
	all["training"], all["held back"] = Split(all["memory"], 0.4, 3)
	all["a fold"], _ = Fold(all["table"], 1, 3, 3)
	all["a part of a part"], _ = Split(all["training"], 0.3, 4)
	normal, err := Normalize(all["images"], []float32{0.5}, []float32{0.25})
	if err != nil {
		t.Fatal(err)
	}
	all["normalized"] = normal
	all["end of a text"], _ = Split(all["text"], 0.4, 1)
	return all
}

// TestPieces: a batch is its examples one after the other, in any order, also if one of them is there twice.
func TestPieces(t *testing.T) {
	for name, s := range sources(t) {
		n := s.Len()
		var alone []string
		for i := range n {
			alone = append(alone, rowsText(t, s, []int{i})...)
		}
		for seed := range uint64(4) {
			order := Order(seed, 0, n)
			order = append(order, order[0], order[n-1])
			for size := 1; size <= len(order); size++ {
				for piece := range slices.Chunk(order, size) {
					for k, got := range rowsText(t, s, piece) {
						if want := alone[piece[k]]; got != want {
							t.Fatalf("%s: example %d in the batch %v is %s, alone %s", name, piece[k], piece, got, want)
						}
					}
				}
			}
		}
		x, y := s.Features().Tensor(0), s.Labels().Tensor(0)
		if err := s.Batch(nil, x, y); err != nil {
			t.Errorf("%s: an empty batch: %v", name, err)
		}
	}
}

// rowsText returns the examples of one batch as strings.
func rowsText(t *testing.T, s DataSource, indices []int) (rows []string) {
	t.Helper()
	x, y := s.Features().Tensor(len(indices)), s.Labels().Tensor(len(indices))
	if err := s.Batch(indices, x, y); err != nil {
		t.Fatal(err)
	}
	for k := range indices {
		rows = append(rows, fmt.Sprint(rowOf(x, k), rowOf(y, k)))
	}
	return rows
}

// rowOf returns a row of a tensor.
func rowOf(t *tensor.Tensor, k int) any {
	size := t.Len() / t.Shape[0]
	switch d := t.Data.(type) {
	case []float32:
		return d[k*size:][:size]
	case []int64:
		return d[k*size:][:size]
	}
	return nil
}

// TestPartsAreDisjoint: training and validation have no example in common, and all together, whatever the part.
func TestPartsAreDisjoint(t *testing.T) {
	for _, n := range []int{2, 3, 7, 100} {
		s := numbered(t, n)
		for _, part := range []float64{1e-9, 0.1, 0.5, 0.9, 1, 7} {
			for seed := range uint64(3) {
				train, val := Split(s, part, seed)
				counts := make([]int, n)
				countExamples(t, train, counts)
				if held := min(max(int(float64(n)*part), 1), n-1); val.Len() != held {
					t.Errorf("%g of %d: %d examples are held back, want %d", part, n, val.Len(), held)
				}
				countExamples(t, val, counts)
				if slices.Min(counts) != 1 || slices.Max(counts) != 1 {
					t.Errorf("%g of %d: the examples are there %v times", part, n, counts)
				}
			}
		}
	}
	one := numbered(t, 1)
	if train, val := Split(one, 0.5, 1); train != one || val != nil {
		t.Error("a source of one example is split")
	}
	if train, val := Split(one, -1, 1); train != one || val != nil {
		t.Error("less than nothing is held back")
	}
}

// TestSplitsDiffer: another seed holds back other examples, the same one the same, and each example is held back equally often.
func TestSplitsDiffer(t *testing.T) {
	const n, seeds = 10, 4000
	s, counts := numbered(t, n), make([]int, n)
	for seed := range uint64(seeds) {
		_, val := Split(s, 0.3, seed)
		countExamples(t, val, counts)
	}
	for i, c := range counts { // a binomial distribution, 5 deviations
		if d := float64(c) - 0.3*seeds; d*d > 25*seeds*0.3*0.7 {
			t.Errorf("example %d is held back %d times of %d, want about %d", i, c, seeds, 3*seeds/10)
		}
	}
	_, a := Split(s, 0.3, 5)
	_, b := Split(s, 0.3, 5)
	if got, want := show(t, a, 0, 1, 2), show(t, b, 0, 1, 2); got != want {
		t.Errorf("one seed holds back %s and %s", got, want)
	}
}

// TestOrderIsUniform: each of the 24 orders of four examples is equally frequent, over seeds and over epochs.
func TestOrderIsUniform(t *testing.T) {
	const n = 24000
	for name, order := range map[string]func(i int) []int{
		"seeds":  func(i int) []int { return Order(uint64(i), 0, 4) },
		"epochs": func(i int) []int { return Order(1, i, 4) },
	} {
		counts := map[string]int{}
		for i := range n {
			counts[fmt.Sprint(order(i))]++
		}
		square := 0.0
		for _, c := range counts {
			d := float64(c) - n/24
			square += d * d / (n / 24)
		}
		if len(counts) != 24 || square > 60 { // of 23 degrees of freedom, p < 0.0001
			t.Errorf("%s: %d orders, chi-square %.1f: %v", name, len(counts), square, counts)
		}
	}
	if o := Order(1, 1, 0); len(o) != 0 {
		t.Errorf("the order of no examples is %v", o)
	}
}

// TestEpochsOverAll: an epoch in batches of any size visits each example once.
func TestEpochsOverAll(t *testing.T) {
	const n = 23
	s := numbered(t, n)
	for size := 1; size <= n+1; size++ {
		var seen []int64
		for piece := range slices.Chunk(Order(9, size, n), size) {
			x, y := s.Features().Tensor(len(piece)), s.Labels().Tensor(len(piece))
			if err := s.Batch(piece, x, y); err != nil {
				t.Fatal(err)
			}
			seen = append(seen, tensor.Data[int64](y)...)
		}
		slices.Sort(seen)
		for i, v := range seen {
			if len(seen) != n || v != int64(i) {
				t.Fatalf("batches of %d visit %v", size, seen)
			}
		}
	}
}
