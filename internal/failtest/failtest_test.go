package failtest

import (
	"reflect"
	"testing"
)

// TestRun: what a test reports is in the result, and ends it where it would end a test.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		test func(testing.TB)
		want Result
		on   bool // it goes on behind what it reports
	}{
		"nothing":   {func(testing.TB) {}, Result{}, true},
		"errors":    {func(t testing.TB) { t.Error("a", 1); t.Errorf("b %d", 2) }, Result{Errors: []string{"a1", "b 2"}}, true},
		"fail":      {testing.TB.Fail, Result{}, true},
		"fatal":     {func(t testing.TB) { t.Error("a"); t.Fatal("b") }, Result{Errors: []string{"a", "b"}, Ended: true}, false},
		"formatted": {func(t testing.TB) { t.Fatalf("b %d", 2) }, Result{Errors: []string{"b 2"}, Ended: true}, false},
		"fail now":  {testing.TB.FailNow, Result{Ended: true}, false},
		"skip":      {func(t testing.TB) { t.Skip("a", 1) }, Result{Skipped: "a1"}, false},
		"skipf":     {func(t testing.TB) { t.Skipf("b %d", 2) }, Result{Skipped: "b 2"}, false},
		"skip now":  {testing.TB.SkipNow, Result{Skipped: "no reason"}, false},
	} {
		on := false
		got := Run(t, func(t testing.TB) { c.test(t); on = true })
		if !reflect.DeepEqual(got, c.want) || on != c.on {
			t.Errorf("%s: got %+v, and it goes on: %v, want %+v and %v", name, got, on, c.want, c.on)
		}
	}
}

// TestStands: the test knows whether it has failed or was skipped, and has the folders and the clean-up of the one around it.
func TestStands(t *testing.T) {
	Run(t, func(r testing.TB) {
		if r.Failed() || r.Skipped() || r.Name() != t.Name() || r.TempDir() == "" {
			t.Errorf("at the start: failed %v, skipped %v, of the name %s", r.Failed(), r.Skipped(), r.Name())
		}
		r.Error("it fails")
		if !r.Failed() || t.Failed() {
			t.Errorf("after a failure: failed %v, and the test around it %v", r.Failed(), t.Failed())
		}
		defer func() {
			if !r.Skipped() || t.Skipped() {
				t.Errorf("it was skipped: %v, and the test around it: %v", r.Skipped(), t.Skipped())
			}
		}()
		r.Skip("now")
	})
}
