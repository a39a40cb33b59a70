//go:build !purego

package cpu

import (
	reflection "reflect" // the package has a function of that name
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// A processor or an operating system without one of the extensions of a level runs at the level below.
func TestEachExtensionIsDetected(t *testing.T) {
	old := cpu.X86
	defer func() { cpu.X86 = old }()
	x := reflection.ValueOf(&cpu.X86).Elem()
	lowered := map[Level][]string{}
	for i := range x.NumField() {
		setAll(x, true)
		if got := bestLevel(); got != AVX512 {
			t.Fatalf("a processor that has everything: got level %v, want %v", got, AVX512)
		}
		name := x.Type().Field(i).Name
		if !strings.HasPrefix(name, "Has") {
			continue
		}
		x.Field(i).SetBool(false)
		lowered[bestLevel()] = append(lowered[bestLevel()], name)
	}
	setAll(x, false)
	if got := bestLevel(); got != Portable {
		t.Errorf("a processor that has nothing: got level %v, want %v", got, Portable)
	}
	for l, want := range map[Level][]string{
		Portable: {"HasAVX", "HasAVX2", "HasF16C", "HasFMA"},
		AVX2:     {"HasAVX512BW", "HasAVX512DQ", "HasAVX512F", "HasAVX512VL", "HasBMI2"},
	} {
		got := slices.Sorted(slices.Values(lowered[l]))
		if !slices.Equal(got, want) {
			t.Errorf("what a processor may lack to run at level %v: got %v, want %v", l, got, want)
		}
	}
}

// Kernels beyond a level are also selected by the extensions that they use.
func TestKernelsBeyondALevelAreDetected(t *testing.T) {
	old, oldVAES := cpu.X86, vaes
	defer func() { cpu.X86, vaes = old, oldVAES }()
	x := reflection.ValueOf(&cpu.X86).Elem()
	for _, c := range []struct {
		kernels string
		needs   []string
		without *bool
	}{
		{"VNNI", needs.VNNI, &cpu.X86.HasAVX512VNNI},
		{"VNNI256", needs.VNNI256, &cpu.X86.HasAVXVNNI},
		{"VNNI256", needs.VNNI256, &cpu.X86.HasAVX2},
		{"VBMI", needs.VBMI, &cpu.X86.HasAVX512VBMI},
		{"AESNI", needs.AESNI, &cpu.X86.HasAES},
		{"VAES", needs.VAES, &cpu.X86.HasAES},
		{"VAES", needs.VAES, &vaes},
		{"VAES256", needs.VAES256, &cpu.X86.HasAVX2},
		{"VAES256", needs.VAES256, &vaes},
	} {
		setAll(x, true)
		if vaes = true; !has(c.needs) {
			t.Errorf("a processor that has everything: got no kernels of %s", c.kernels)
		}
		if *c.without = false; has(c.needs) {
			t.Errorf("a processor that lacks one of %v: got kernels of %s, want none", c.needs, c.kernels)
		}
	}
}

// setAll sets all fields about extensions of a processor.
func setAll(x86 reflection.Value, to bool) {
	for i := range x86.NumField() {
		if f := x86.Field(i); f.Kind() == reflection.Bool {
			f.SetBool(to)
		}
	}
}

// The detection knows the names of all extensions that kernels need.
func TestNeedsAreKnown(t *testing.T) {
	for _, k := range allNeeds() {
		for _, e := range k {
			if x86[e] == nil {
				t.Errorf("detection does not know the extension %s", e)
			}
		}
	}
}

// allNeeds returns [needs] by the suffix of kernels' names.
func allNeeds() map[string][]string {
	m, v := map[string][]string{}, reflection.ValueOf(needs)
	for i := range v.NumField() {
		m[v.Type().Field(i).Name] = v.Field(i).Interface().([]string)
	}
	return m
}
