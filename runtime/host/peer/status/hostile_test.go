package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/wire"
)

// markup is a text that would end an attribute, an element or a line, if it were not escaped.
const markup = "<b onx=1>\"'>&lt;\\\n# x{y=\"z\"} 1\r\x00\u2028"

// poison sets all strings in a value to one, except those that others do not choose.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), text)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String && v.Len() == 0 && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Name != "Token" {
				poison(f, text)
			}
		}
	}
}

// poisoned returns a report whose strings are all the same.
func poisoned(text string) *Report {
	r := sample()
	r.Peers = append(r.Peers, PeerStatus{Error: "x", Trouble: "x"})
	r.Status.Addresses = []wire.Address{"/ip4/10.0.0.1/tcp/1"}
	r.Picture = picture(2, 1e9, "for 1s")
	poison(reflect.ValueOf(r), text)
	r.Fingerprint, r.Kernels = "00", "avx2" // of this binary
	for i := range 20 {
		r.History.Number(fmt.Sprint(text, i), uint64(i), float64(i))
		r.History.Event(time.Unix(0, 0), i%2 == 0, text)
	}
	return r
}

// TestMarkupInTexts: names and errors that others choose are strings on the page, whatever is in them: no element, no attribute and no
// script comes from them.
func TestMarkupInTexts(t *testing.T) {
	plain, page := shown(poisoned("x")), shown(poisoned(markup))
	tags := regexp.MustCompile(`<[^>]*>`)
	values := regexp.MustCompile(`"[^"]*"`)
	shape := func(html string) (list []string) {
		for _, tag := range tags.FindAllString(html, -1) {
			list = append(list, values.ReplaceAllString(tag, `""`))
		}
		return list
	}
	if a, b := shape(plain), shape(page); !reflect.DeepEqual(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("the strings change the elements of the page: %s became %s", a[i], b[i])
			}
		}
		t.Fatalf("the page has %d tags, with markup in its strings %d", len(a), len(b))
	}
	if !strings.Contains(page, "&lt;b onx=1&gt;") {
		t.Error("the strings are not there")
	}
}

// sampleLine is a line of Prometheus's text format, as its documentation defines it.
var sampleLine = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$`)

// TestMarkupInMetrics: each line of the metrics is a comment or a sample, with as many samples as for plain strings, and the labels
// hold the strings.
func TestMarkupInMetrics(t *testing.T) {
	count := func(text string) (samples int) {
		var b strings.Builder
		writeMetrics(&b, poisoned(text))
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "# HELP ") || strings.HasPrefix(line, "# TYPE ") {
				continue
			}
			m := sampleLine.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%q is no sample", line)
				continue
			}
			if _, err := strconv.ParseFloat(m[1], 64); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			samples++
		}
		unescaped := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(b.String())
		if !strings.Contains(unescaped, `peer="`+text+`"`) {
			t.Errorf("no label is %q", text)
		}
		return samples
	}
	if a, b := count("x"), count(markup); a != b {
		t.Errorf("there are %d samples, with markup in the strings %d", a, b)
	}
}

// TestStatusIsJSON: the status is JSON for any strings and numbers, also those that are not UTF-8, or that JSON lacks.
func TestStatusIsJSON(t *testing.T) {
	for _, text := range []string{"x", markup, "\xff\xfe", ""} {
		r := poisoned(text)
		r.Emitted = []Number{{Name: text, Value: real(math.NaN())}, {Name: text, Value: real(math.Inf(-1))}, {Name: text, Value: real(math.Copysign(0, -1))}, {Name: text, Value: math.MaxFloat64}, {Name: text, Value: math.SmallestNonzeroFloat64}}
		b, err := json.Marshal(r)
		if err != nil || !utf8.Valid(b) || bytes.ContainsAny(b, "\n<>") {
			t.Fatalf("%q: %v, %s", text, err, b)
		}
		var back Report
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); utf8.ValidString(text) && back.Peers[0].Trouble != want {
			t.Errorf("%q came back as %q", text, back.Peers[0].Trouble)
		}
		if back.Emitted[3].Value != math.MaxFloat64 || back.Emitted[4].Value != math.SmallestNonzeroFloat64 {
			t.Errorf("numbers came back as %v", back.Emitted)
		}
	}
}
