package remote_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSettings: the settings are what was set last, and tensors that are made without an element type have theirs, on all
// streams, and on no other device.
func TestSettings(t *testing.T) {
	s := start(t)
	d, other := dial(t, s), dial(t, s)
	if got, want := d.Settings(), (remote.Settings{Float: tensor.Float32, Int: tensor.Int64}); got != want {
		t.Errorf("at first they are %v, want %v", got, want)
	}
	stream := d.NewStream()
	for _, set := range []remote.Settings{
		{Float: tensor.Float32, Int: tensor.Int64}, {Float: tensor.Float64, Int: tensor.Int32}, {Float: tensor.Float16, Int: tensor.Uint8},
		{Float: tensor.BFloat16, Int: tensor.Int8}, {Float: tensor.Float64, Int: tensor.Uint64}, {Float: tensor.Float32, Int: tensor.Int16},
		{Float: tensor.Float32, Int: tensor.Uint16}, {Float: tensor.Float32, Int: tensor.Uint32},
	} {
		if err := d.Set(set); err != nil || d.Settings() != set {
			t.Fatalf("%v: %v, and they are %v", set, err, d.Settings())
		}
		shape := remote.Attrs{"shape": []int{2, 3}}
		for what, x := range map[string]*remote.Tensor{
			"RegisterFloats":  stream.RegisterFloats([]float64{0.5, -2}, 2),
			"RandomNormal":    stream.Execute("RandomNormal", shape),
			"RandomUniform":   d.Execute("RandomUniform", shape),
			"HannWindow":      d.Execute("HannWindow", nil, d.Register(tensor.Of([]int64{4}))),
			"ConstantOfShape": d.Execute("ConstantOfShape", nil, d.Register(tensor.Of([]int64{2}, 1))),
		} {
			if got := mustRead(t, x); got.DType != set.Float {
				t.Errorf("%v: %s makes %v", set, what, got.DType)
			} else if what == "RegisterFloats" && !tensor.Equal(mustRead(t, d.Execute("Cast", remote.Attrs{"to": tensor.Float32}, x)), vec(0.5, -2)) {
				t.Errorf("%v: got %v", set, got.Data)
			}
		}
		ints := d.RegisterInts([]int64{7, 0, 100}, 3, 1)
		if got := mustRead(t, ints); got.DType != set.Int {
			t.Errorf("%v: RegisterInts makes %v", set, got.DType)
		}
		if got := mustRead(t, d.Execute("Cast", remote.Attrs{"to": tensor.Int64}, ints)); !tensor.Equal(got, tensor.Of([]int64{7, 0, 100}, 3, 1)) {
			t.Errorf("%v: got %v", set, got.Data)
		}
		given := remote.Attrs{"shape": []int{2}, "dtype": tensor.Float32}
		if got := mustRead(t, d.Execute("RandomNormal", given)); got.DType != tensor.Float32 || len(given) != 2 {
			t.Errorf("%v: a given type becomes %v", set, got.DType)
		}
	}
	if err := d.Set(remote.Settings{Float: tensor.Float64, Int: tensor.Int8}); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, other.RegisterFloats([]float64{1}, 1)); got.DType != tensor.Float32 {
		t.Errorf("another device makes %v", got.DType)
	}
}

// TestSettingsRefused: settings, numbers and shapes that do not fit are errors, and nothing changes.
func TestSettingsRefused(t *testing.T) {
	d := dial(t, start(t))
	for want, set := range map[string]remote.Settings{
		"floats as int32, want":        {Float: tensor.Int32, Int: tensor.Int32},
		"floats as undefined, want":    {},
		"floats as float8e4m3fn, want": {Float: tensor.Float8E4M3FN, Int: tensor.Int32},
		"floats as dtype(99), want":    {Float: 99, Int: tensor.Int32},
		"integers as float32, want":    {Float: tensor.Float32, Int: tensor.Float32},
		"integers as int4, want":       {Float: tensor.Float32, Int: tensor.Int4},
		"integers as bool, want":       {Float: tensor.Float32, Int: tensor.Bool},
	} {
		if err := d.Set(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", set, err, want)
		}
	}
	if got := d.Settings(); got.Float != tensor.Float32 || got.Int != tensor.Int64 {
		t.Errorf("they are %v", got)
	}
	for want, x := range map[string]*remote.Tensor{
		"2 numbers for the shape [3], want 3": d.RegisterFloats([]float64{1, 2}, 3),
		"2 numbers for the shape [], want 1":  d.RegisterInts([]int64{1, 2}),
		"RegisterInts: ":                      d.RegisterInts(nil, -1),
	} {
		if _, err := x.Read(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for typ, v := range map[tensor.DType]int64{tensor.Int8: 128, tensor.Uint8: -1, tensor.Int16: -1<<15 - 1, tensor.Uint16: 1 << 16,
		tensor.Int32: 1 << 31, tensor.Uint32: -1, tensor.Uint64: math.MinInt64} {
		if err := d.Set(remote.Settings{Float: tensor.Float32, Int: typ}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.RegisterInts([]int64{1, v}, 2).Read(context.Background()); err == nil || !strings.Contains(err.Error(), "number 1 is") {
			t.Errorf("%d as %v: got %v, want an error", v, typ, err)
		}
	}
}
