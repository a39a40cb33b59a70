package train

import (
	"encoding/json"
	"math"
	"testing"
)

// TestScores compares with scikit-learn's definitions: class 2 is never predicted, class 3 is never right, and
// class 4 is neither.
func TestScores(t *testing.T) {
	c := Confusion{{3, 1, 0, 1, 0}, {1, 2, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}
	precision, recall, f1 := c.scores()
	for _, x := range []struct{ got, want float64 }{
		{precision, (3.0/5 + 2.0/4) / 4},
		{recall, (3.0/5 + 2.0/3) / 4},
		{f1, (6.0/10 + 4.0/7) / 4},
	} {
		if !(math.Abs(x.got-x.want) <= 1e-12) {
			t.Errorf("got %v, want %v", x.got, x.want)
		}
	}
}

// TestConfusionLimits counts neither invalid labels, nor too many classes.
func TestConfusionLimits(t *testing.T) {
	var c Confusion
	c.add(0, 0, maxConfusion+1)
	c.add(2, 0, 2)
	if c != nil {
		t.Errorf("got %v, want no matrix", c)
	}
	if c.add(1, 0, 2); c[1][0] != 1 || len(c) != 2 {
		t.Errorf("got %v, want one label of class 1 that was said to be 0", c)
	}
}

// TestEvaluateClassifier evaluates an untrained model, and compares its matrix with its accuracy.
func TestEvaluateClassifier(t *testing.T) {
	set := points(50)
	set.Val = nil
	e, err := Evaluate(t.Context(), program(nil, nil), set, Options{Batch: 8})
	if err != nil {
		t.Fatal(err)
	}
	hits, all := 0, 0
	for i, row := range e.Confusion {
		hits += row[i]
		for _, n := range row {
			all += n
		}
	}
	if len(e.Confusion) != 2 || all != e.Examples || e.Accuracy == nil || float64(hits)/float64(all) != *e.Accuracy {
		t.Fatalf("got %+v, want a matrix of all examples", e)
	}
	if p, r, f := e.Confusion.scores(); *e.Precision != p || *e.Recall != r || *e.F1 != f {
		t.Errorf("got %+v, want the scores of the matrix", e)
	}
	b, err := json.Marshal(Evaluation{Examples: 1})
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != `{"examples":1,"loss":0}` {
		t.Errorf("got %s, want no scores where there are no classes", b)
	}
}
