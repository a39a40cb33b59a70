package ident_test

import (
	"testing"

	"github.com/bbgen/bbgen/codegen/ident"
)

// TestNames shows the identifiers for names, each in a scope of its own.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, local, exported string }{
		{"/layer1/conv.weight", "layer1ConvWeight", "Layer1ConvWeight"},
		{"input_ids", "inputIds", "InputIds"},
		{"conv1_2", "conv1_2", "Conv1_2"},
		{"12", "v12", "X12"},
		{"type", "typeValue", "Type"},
		{"", "v_", "X_"},
		{"größe", "grE", "GrE"},
	} {
		if got := ident.NewScope().Local(c.name); got != c.local {
			t.Errorf("%q is %s, want %s", c.name, got, c.local)
		}
		if got := ident.NewScope().Exported(c.name); got != c.exported {
			t.Errorf("%q is %s, want %s", c.name, got, c.exported)
		}
	}
}

// TestLocals tests that variables do not hide predeclared identifiers, which fields may have.
func TestLocals(t *testing.T) {
	s := ident.NewLocals("x")
	for _, c := range []struct{ name, want string }{
		{"max", "maxValue"}, {"Float32", "float32Value"}, {"nil", "nilValue"}, {"func", "funcValue"}, {"any", "anyValue"}, {"maximum", "maximum"}, {"x", "x_2"},
	} {
		if got := s.Local(c.name); got != c.want {
			t.Errorf("%q is %s, want %s", c.name, got, c.want)
		}
	}
	if got := ident.NewScope().Local("max"); got != "max" {
		t.Errorf("a field is %s, want max", got)
	}
}

// TestUnique tests names that are already taken.
func TestUnique(t *testing.T) {
	s := ident.NewScope("x")
	s.Take("x_2")
	for _, want := range []string{"x_3", "x_4"} {
		if got := s.Local("x"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if !s.Has("x_3") || s.Has("x_5") {
		t.Error("the scope has others than were taken")
	}
}

// TestBrief shows what is left of names that repeat themselves.
func TestBrief(t *testing.T) {
	for name, want := range map[string]string{
		"/layer1/layer1.0/conv1/Conv_output_0":            "layer1.0/conv1",
		"/layer1/layer1.0/relu_1/Relu_last":               "layer1.0/relu_1_last",
		"/layer1/layer1.0/conv1/Conv_1_output_0":          "layer1.0/conv1/Conv_1",
		"/layer2/layer2.0/layer2.0.1/Conv_output_0":       "layer2.0.1/Conv",
		"/encoder/layer.0/attention/self/MatMul_output_0": "encoder/layer.0/attention/self/MatMul",
		"/layer1/layer1.0/Add_output_0":                   "layer1.0/Add",
		"/layer1/layer10.0/Add":                           "layer1/layer10.0/Add",
		"/Relu":                                           "Relu",
		"h":                                               "h",
		"/":                                               "",
		"":                                                "",
		"conv/_":                                          "conv/_",
	} {
		if got := ident.Brief(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestShort shows the last parts of long names.
func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"/layer1/conv/Conv_output_0": "Conv",
		"h":                          "h",
		"model/":                     "model/",
		"a/b/":                       "b",
	} {
		if got := ident.Short(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
