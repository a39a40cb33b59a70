// Package nomadjob checks the jobs that "bbgen deploy --nomad" writes against the types of Nomad's own client, whose tags
// name the attributes and blocks of a job. It has tests only, and needs no Nomad.
package nomadjob
