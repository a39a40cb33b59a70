package ir

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
)

// TestClasses checks that names of classes are read from the forms in which exporters write them.
func TestClasses(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		want       []string
	}{
		{keys.Classes, `["cat","dog"]`, []string{"cat", "dog"}},
		{"names", `{0: 'cat', 1: "dog's", 2: 'o\'s'}`, []string{"cat", "dog's", "o's"}},
		{"names", `{0:'cat',}`, []string{"cat"}},
		{"names", `{1: 'cat'}`, nil},
		{"names", `{0: 'cat', 0: 'dog'}`, nil},
		{"names", `{0: 'cat' 1: 'dog'}`, nil},
		{"names", `{0: 'cat}`, nil},
		{"names", `['cat']`, nil},
		{"names", `{}`, nil},
		{"names", ``, nil},
		{"other", `{0: 'cat'}`, nil},
	} {
		m := &Module{Meta: []Metadata{{tt.key, tt.value}}}
		if got, err := m.Classes(); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s = %s: got %q, %v, want %q", tt.key, tt.value, got, err, tt.want)
		}
	}
	if _, err := (&Module{Meta: []Metadata{{keys.Classes, "cat"}}}).Classes(); err == nil {
		t.Error("metadata that are no list are taken")
	}
}
