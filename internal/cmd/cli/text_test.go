package cli

import (
	"fmt"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagText: a flag shows its value in a form that it reads again, nothing for its zero value, and its type in the
// help.
func TestFlagText(t *testing.T) {
	var b, b2 Bytes
	var r, r2 Rate
	var s, s2 map[string]int
	for _, c := range []struct {
		v, again          pflag.Value
		text, shown, kind string
	}{
		{&b, &b2, "1.5KiB", "1536", "bytes"},
		{&r, &r2, "100Mbit", "1.25e+07B/s", "rate"},
		{&sizes{&s}, &sizes{&s2}, "n=2,a=1", "a=1,n=2", "sizes"},
	} {
		if c.v.String() != "" {
			t.Errorf("without a value: %q", c.v.String())
		}
		if err := c.v.Set(c.text); err != nil || c.v.String() != c.shown || c.v.Type() != c.kind {
			t.Errorf("%s is %s, a %s, %v; want %s, a %s", c.text, c.v, c.v.Type(), err, c.shown, c.kind)
		}
		if err := c.again.Set(c.v.String()); err != nil || fmt.Sprint(c.again) != fmt.Sprint(c.v) {
			t.Errorf("%s is read as %s, %v", c.v, c.again, err)
		}
	}
}

// TestComplete offers a shell the values of a flag.
func TestComplete(t *testing.T) {
	c := &cobra.Command{Use: "x"}
	c.Flags().String("host", "", "")
	Complete(c, "host", "tcp", "nats")
	offer, ok := c.GetFlagCompletionFunc("host")
	if !ok {
		t.Fatal("nothing is offered")
	}
	if list, _ := offer(c, nil, ""); fmt.Sprint(list) != "[tcp nats]" {
		t.Errorf("offered are %v", list)
	}
	defer func() {
		if recover() == nil {
			t.Error("values are offered for a flag that there is not")
		}
	}()
	Complete(c, "hots", "tcp")
}

// TestFailed: an error that has been reported is a plain one for whoever prints it again, and Ctrl-C is left to others
// only as long as they run.
func TestFailed(t *testing.T) {
	if got := (Failed{}).Error(); got != "failed" {
		t.Errorf("got %q", got)
	}
	one, two := LeaveInterrupts(), LeaveInterrupts()
	one()
	if left.Load() != 1 {
		t.Errorf("%d programs run, want 1", left.Load())
	}
	two()
	if left.Load() != 0 {
		t.Errorf("%d programs run, want none", left.Load())
	}
}
