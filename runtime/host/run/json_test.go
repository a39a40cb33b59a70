package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestJSON compares what is printed with the output of encoding/json.
func TestJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for _, v := range []any{&result{}, &description{}, &profile{}} {
			fillRandom(rng, reflect.ValueOf(v).Elem())
			want, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := printJSON(&got, v); err != nil {
				t.Fatal(err)
			}
			var a, b any
			if err := json.Unmarshal(got.Bytes(), &a); err != nil {
				t.Fatalf("%v: %s", err, got.Bytes())
			}
			if err := json.Unmarshal(want, &b); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("got  %s\nwant %s", got.Bytes(), want)
			}
		}
	}
	empty := appendJSON(nil, reflect.ValueOf(description{Inputs: []port{}}))
	if want := `{"name":"","file":"","weight_bytes":0,"arena_bytes":0,"level":"","inputs":[],"outputs":[]}`; string(empty) != want {
		t.Errorf("got  %s\nwant %s", empty, want)
	}
}

// TestJSONNumbers checks that numbers are read as they were, and that those that encoding/json refuses are null.
func TestJSONNumbers(t *testing.T) {
	for _, x := range []float64{0, 1, -1.5, 123.456, 1e-6, 9.9e-7, 1e20, 1e21, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		b := appendNumber(nil, x)
		var got float64
		if err := json.Unmarshal(b, &got); err != nil || got != x {
			t.Errorf("%v: %s, %v", x, b, err)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if b := appendNumber(nil, x); string(b) != "null" {
			t.Errorf("%v: %s", x, b)
		}
	}
}

// fillRandom sets the fields of a struct.
func fillRandom(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillRandom(rng, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+rng.IntN(3), 3))
		for i := range v.Len() {
			fillRandom(rng, v.Index(i))
		}
	case reflect.String:
		texts := []string{"", "conv_1", `a"b\c`, "<&>", "line\nend\t\x00", "µs\u2028", "\xff"}
		v.SetString(texts[rng.IntN(len(texts))])
	case reflect.Int:
		v.SetInt(int64(rng.IntN(1000)) - 10)
	case reflect.Float64:
		v.SetFloat(math.Ldexp(rng.Float64(), rng.IntN(200)-100))
	default:
		panic(fmt.Sprint("no such field: ", v.Type()))
	}
}
