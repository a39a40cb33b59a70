package explore

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
)

// eventKind is a kind of event in a case.
type eventKind int

// happenings are the names of the kinds.
var happenings []string

func happens(name string) eventKind {
	happenings = append(happenings, name)
	return eventKind(len(happenings) - 1)
}

// Counts holds the number of events by the name of their kind.
type Counts map[string]int64

// counted is the counters of a case.
type counted []int64

func (c counted) saw(h eventKind) { c[h]++ }

func (c counted) add(o counted) {
	for i, n := range o {
		c[i] += n
	}
}

func (c counted) names() Counts {
	m := Counts{}
	for i, n := range c {
		m[happenings[i]] = n
	}
	return m
}

// The kinds of events.
var (
	stepDone   = map[Kind]eventKind{}
	faultDone  = map[mem.FaultKind]eventKind{}
	lieTold    = fieldsOf(Lies{}, "lie")
	limitSmall = fieldsOf(Limits{}, "limit")
	shortRound = map[runtime.ShortPolicy]eventKind{runtime.ShortSkips: happens("short skip"), runtime.ShortRepeats: happens("short repeat"), runtime.ShortWaits: happens("short wait")}

	joined       = happens("peer joins")
	blocked      = happens("peer is blocked")
	rebooted     = happens("bootstrap runs again")
	manyInsiders = happens("insiders beside each other")
	blockFailed  = happens("block fails")
	lossTaken    = happens("loss is taken")
	forgot       = happens("peer without state restarts")
	refused      = happens("refused")
	late         = happens("late")
	missing      = happens("missing")
	overflowed   = happens("overflow")
	leftToNext   = happens("left to the next incarnation")
	unwritten    = happens("crash before a value is written")
)

func init() {
	for k, name := range stepNames {
		stepDone[Kind(k)] = happens("step " + name)
	}
	for _, k := range append([]mem.FaultKind{mem.DiskLies}, append(faults, partings...)...) {
		faultDone[k] = happens("fault " + k.String())
	}
}

// fieldsOf returns a kind for each field of a struct.
func fieldsOf(of any, prefix string) (list []eventKind) {
	t := reflect.TypeOf(of)
	for i := range t.NumField() {
		list = append(list, happens(fmt.Sprintf("%s %s", prefix, strings.ToLower(t.Field(i).Name))))
	}
	return list
}

// sawLimits counts the reduced limits of a case.
func (c counted) sawLimits(l Limits) {
	v := reflect.ValueOf(l)
	for i, h := range limitSmall {
		if v.Field(i).Int() > 0 {
			c.saw(h)
		}
	}
}
