/** What arrives, for people to watch: it asks for /records.json every second. */
export const livePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Leads in the stand-in for Airtable</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1d2433; background: #f6f7f9 }
  div { overflow-x: auto }
  table { border-collapse: collapse; background: #fff; min-width: 100% }
  th, td { border: 1px solid #d8dce3; padding: .4rem .7rem; text-align: left; white-space: nowrap }
  td { max-width: 9rem; overflow: hidden; text-overflow: ellipsis }
  tr.new td { animation: arrive 3s }
  @keyframes arrive { from { background: #fff3bf } }
</style>
<h1>Leads in the stand-in for Airtable</h1>
<p id="state" role="status">Waiting for the first lead: send the form on the site.</p>
<div><table><thead><tr></tr></thead><tbody></tbody></table></div>
<script>
  const known = new Set()
  let shown = ''
  const cell = (kind, text) => Object.assign(document.createElement(kind), { textContent: text })
  async function refresh() {
    try {
      const text = await (await fetch('/records.json')).text()
      if (text === shown) return
      shown = text
      const { fields, records } = JSON.parse(text)
      const names = fields.map((field) => field.name)
      document.querySelector('thead tr').replaceChildren(...names.map((name) => cell('th', name)))
      document.querySelector('tbody').replaceChildren(...records.toReversed().map((record) => {
        const row = document.createElement('tr')
        row.append(...names.map((name) => cell('td', record.fields[name] ?? '')))
        if (!known.has(record.id)) row.className = 'new'
        return row
      }))
      for (const record of records) known.add(record.id)
      if (records.length > 0)
        document.getElementById('state').textContent = records.length + (records.length === 1 ? ' lead' : ' leads')
    } catch {
      document.getElementById('state').textContent = 'The demo has stopped.'
    }
  }
  refresh()
  setInterval(refresh, 1000)
</script>
</html>
`
