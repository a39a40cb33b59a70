package plan

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
)

func opened(t *testing.T, text string) *Plan {
	t.Helper()
	p := &Plan{}
	if err := p.Open(runtime.Env{Data: fstest.MapFS{File: {Data: []byte(text)}}}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestModels(t *testing.T) {
	p := opened(t, `{"Parameters": 3, "Rounds": 2}`)
	params, err := p.Params()
	if err != nil || !slices.Equal(params.Data, []float32{0, 0, 0}) {
		t.Errorf("the untrained model is %v %v", params.Data, err)
	}
	for round := range int64(2) {
		if again, err := p.Again(round); err != nil || !slices.Equal(again.Data, []float32{1, 1, 1}) {
			t.Errorf("round %d: %v %v, want ones", round, again.Data, err)
		}
	}
}

// The last round is the one before the planned number; without a number there is none.
func TestOver(t *testing.T) {
	limited, unlimited := opened(t, `{"Parameters": 3, "Rounds": 2}`), opened(t, `{"Parameters": 3}`)
	for round, want := range []bool{false, true} {
		if over, err := limited.Sent(int64(round), 3); over != want || err != nil {
			t.Errorf("round %d: %v %v, want %v", round, over, err, want)
		}
		if over, err := unlimited.Over(int64(round)); over || err != nil {
			t.Errorf("round %d without a limit: %v %v", round, over, err)
		}
	}
	for _, got := range []int64{0, 2, 4} {
		if _, err := limited.Sent(1, got); err == nil {
			t.Errorf("%d parameters of 3 are no error", got)
		}
	}
}

func TestOpen(t *testing.T) {
	for name, env := range map[string]runtime.Env{
		"no data": {}, "no plan": {Data: fstest.MapFS{}}, "no JSON": {Data: fstest.MapFS{File: {Data: []byte("{")}}},
	} {
		if new(Plan).Open(env) == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
