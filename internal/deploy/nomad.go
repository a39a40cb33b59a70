package deploy

import (
	"encoding/json"
	"fmt"
)

// nomad makes a job, and for each class of peers the variables of the job.
func nomad(all []unit) ([]manifest, error) {
	text, err := fill("nomad.hcl", all)
	if err != nil {
		return nil, err
	}
	files := []manifest{{"nomad/" + all[0].Program + ".nomad.hcl", text, open}}
	for i := range all {
		u := &all[i]
		if u.Model {
			continue
		}
		items := map[string]string{}
		for _, m := range u.Peers {
			items[fmt.Sprintf("peer%d", m.Rank)] = m.Config
		}
		b, err := json.MarshalIndent(map[string]any{"Path": "nomad/jobs/" + u.Program + "/" + u.Class, "Items": items}, "", "  ")
		if err != nil {
			return nil, err
		}
		files = append(files, manifest{"nomad/" + u.Name + ".vars.json", string(b) + "\n", secret})
	}
	return files, nil
}
